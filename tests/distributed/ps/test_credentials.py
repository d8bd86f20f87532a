"""Who is let in: tokens, TLS, and messages that are none."""

import dataclasses
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("grpc")

import grpc
from proa.distributed.ps import Client, Credentials, RefusedError
from proa.distributed.ps import messages_pb2 as pb
from serving import OPTIONS, Serving, descent


def with_credentials(**given):
    return dataclasses.replace(OPTIONS, credentials=Credentials(**given))


def served(options):
    variables = {"w": np.zeros([2], "float32")}
    return Serving(1, "async", variables, {"w@GRAD": descent(variables, "w")}, options=options)


@pytest.mark.parametrize("token", [None, "another", "the secre", "the secret "])
def test_messages_without_the_token_are_refused(token, caplog):
    with served(with_credentials(token="the secret")) as serving:
        friend, stranger = (Client(0, with_credentials(token=each)) for each in ("the secret", token))
        friend.send(serving.endpoint, "w@GRAD", np.ones([2], "float32")).result()
        with pytest.raises(RefusedError, match="brings no token"):
            stranger.send(serving.endpoint, "w@GRAD", np.ones([2], "float32"))
        assert friend.receive(serving.endpoint, "w").tolist() == [-0.5, -0.5]
        friend.close()
        stranger.close()
    assert "Refused a message from ipv4:127.0.0.1" in caplog.text and "the secret" not in caplog.text


def test_the_environment_names_credentials(monkeypatch, tmp_path):
    (tmp_path / "token").write_text("from a file\n")
    monkeypatch.setenv("PROA_PS_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.setenv("PROA_PS_AUTHORITY", "ca.pem")
    assert Credentials.from_environment() == Credentials(token="from a file", authority="ca.pem")
    monkeypatch.setenv("PROA_PS_TOKEN", "this")
    assert Credentials.from_environment().token == "this"
    with pytest.raises(ValueError, match="belong together"):
        Credentials(certificate="a")


def certificates(folder):
    """An authority and two certificates for 127.0.0.1 that it has signed."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=authority")
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("server", "trainer"):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                "2", "-extfile", "names", "-out", f"{name}.pem")
    return {name: str(folder / name) for name in ("ca.pem", "server.key", "server.pem", "trainer.key", "trainer.pem")}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_tls_with_certificates_of_both_sides(tmp_path):
    files = certificates(tmp_path)
    options = with_credentials(certificate=files["server.pem"], key=files["server.key"], authority=files["ca.pem"])
    with served(options) as serving:
        known = Client(0, with_credentials(certificate=files["trainer.pem"], key=files["trainer.key"],
                                           authority=files["ca.pem"]))
        known.send(serving.endpoint, "w@GRAD", np.ones([2], "float32")).result()
        assert known.receive(serving.endpoint, "w").tolist() == [-0.5, -0.5]
        for given in ({}, {"authority": files["ca.pem"]}):
            stranger = Client(0, dataclasses.replace(with_credentials(**given), deadline=0.3, attempt=1))
            with pytest.raises(ConnectionError, match=f"parameter server {serving.endpoint} has been silent for"):
                stranger.receive(serving.endpoint, "w")
            stranger.close()
        known.close()


def raw(endpoint, method, data):
    with grpc.insecure_channel(endpoint, options=[("grpc.enable_http_proxy", 0)]) as channel:
        return channel.unary_unary(f"/proa.ps.ParameterServer/{method}")(data, timeout=10)


def test_messages_that_are_none(caplog):
    options = dataclasses.replace(OPTIONS, message_bytes=10000)
    good = pb.Request(name="w@GRAD", total=8)
    good.caller.process, good.caller.sequence = 7, 1
    good.value.dtype = "float32"
    good.value.shape.append(2)
    good.value.data = bytes(8)

    def changed(**fields):
        request = pb.Request()
        request.CopyFrom(good)
        for name, value in fields.items():
            setattr(request, name, value)
        return request

    stranger, number, shape, huge, dtype, rows, late = (changed() for _ in range(7))
    stranger.caller.trainer = 3
    number.caller.process = 0
    shape.value.shape.append(1 << 40)
    huge.value.shape[0], huge.total = 1 << 62, 1 << 64 - 1
    dtype.value.dtype = "object"
    rows.has_rows, rows.height, rows.total = True, 2, 16
    late.offset = 4
    with served(options) as serving:
        for method, data, said in [
                ("Send", b"\xff\xff\xff", "no message of"), ("Send", bytes(80000), "bytes; the most is"),
                ("Nothing", b"", "does not have"), ("Send", stranger.SerializeToString(), "message of trainer 3"),
                ("Send", number.SerializeToString(), "which process"), ("Send", shape.SerializeToString(), "bytes"),
                ("Send", huge.SerializeToString(), "bytes"), ("Send", dtype.SerializeToString(), "no dtype 'object'"),
                ("Send", rows.SerializeToString(), "need a number each"), ("Send", late.SerializeToString(), "ends at"),
                ("Send", changed(name="v").SerializeToString(), "takes nothing named 'v'"),
                ("LookUp", changed(name="t").SerializeToString(), "no table 't'")]:
            with pytest.raises(grpc.RpcError) as caught:
                raw(serving.endpoint, method, data)
            assert said in caught.value.details(), (method, caught.value.details())
            assert said in caplog.text
        with pytest.raises(grpc.RpcError):
            raw(serving.endpoint, "Send", bytes(1 << 21))
        raw(serving.endpoint, "Send", good.SerializeToString())
