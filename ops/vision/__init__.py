"""Images: resampling, boxes of detection, regions."""
