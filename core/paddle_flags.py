"""The flags of PaddlePaddle's own kernels, memory, compilers and services, with what they are there at first.

They direct nothing here: kept as they were set, for programs that set them and ask for them.
"""

_OFF = """
allreduce_record_one_event apply_pass_to_program benchmark cache_inference_while_scope conv2d_disable_cudnn
conv_workspace_size_limit cpu_deterministic cublaslt_exhaustive_search_times cudnn_batchnorm_spatial_persistent
cudnn_deterministic cudnn_exhaustive_search cudnn_exhaustive_search_times einsum_opt embedding_deterministic
enable_all2all_use_fp16 enable_async_trace enable_cublas_tensor_op_math enable_dependency_builder_debug_info
enable_dump_main_program enable_exit_when_partial_worker enable_gpu_memory_usage_log enable_graph_multi_node_sampling
enable_neighbor_list_use_uva enable_opt_get_features enable_pir_api enable_pir_in_executor
enable_pir_in_executor_trace_run enable_record_memory enable_sparse_inner_gather enable_tracker_all2all
enable_unused_var_check fleet_executor_with_standalone free_idle_chunk free_when_no_cache_hit
gemm_use_half_precision_compute_type gpugraph_debug_gpu_memory gpugraph_enable_gpu_direct_access
gpugraph_enable_hbm_table_collision_stat gpugraph_enable_print_op_debug gpugraph_enable_segment_merge_grads
gpugraph_force_device_batch_num_equal graph_edges_split_debug graph_edges_split_only_by_src_id graph_get_neighbor_id
graph_load_in_parallel graph_metapath_split_opt init_allocated_mem log_memory_stats new_executor_sequential_run
new_executor_serial_run new_executor_static_build new_executor_use_cuda_graph new_executor_use_inplace
npu_storage_format prim_all prim_backward prim_enabled prim_forward print_allocator_trace_info print_ir
query_dest_rank_by_multi_node reader_queue_speed_test_mode run_kp_kernel set_to_1d sort_sum_gradient
stop_check_timeout sync_after_alloc sync_nccl_allreduce trt_ibuilder_cache use_auto_growth_pinned_allocator
use_autotune use_cinn use_cuda_managed_memory use_fast_math use_mkldnn use_shm_cache use_system_allocator
use_virtual_memory_auto_growth
"""
_ON = """
add_dependency_for_communication_op communicator_is_sgd_optimizer convert_all_blocks eager_delete_scope
enable_api_kernel_fallback enable_auto_detect_gpu_topo enable_auto_rdma_trans enable_pir_with_pt_in_dy2st
fast_eager_deletion_mode gpugraph_load_node_list_into_hbm graph_embedding_split_infer_mode
multi_node_sample_use_gpu_table new_executor_use_local_scope pir_apply_inplace_pass use_pinned_memory
use_stream_safe_cuda_allocator use_stride_kernel
"""
_OTHERS = {
    "alloc_fill_value": -1, "allocator_strategy": "auto_growth", "async_trace_count": 5,
    "gpugraph_slot_feasign_max_num": 5, "auto_growth_chunk_size_in_mb": 0,
    "dist_threadpool_size": 0, "dygraph_debug": 0, "enable_adjust_op_order": 0,
    "executor_log_deps_every_microseconds": 0, "gpu_memory_limit_mb": 0, "gpugraph_dedup_pull_push_mode": 0,
    "gpugraph_offload_param_stat": 0, "gpugraph_sparse_table_storage_mode": 0, "graph_edges_debug_node_id": 0,
    "initial_gpu_memory_in_mb": 0, "inner_op_parallelism": 0, "low_precision_op_list": 0, "max_inplace_grad_add": 0,
    "reallocate_gpu_memory_in_mb": 0, "call_stack_level": 1, "fuse_parameter_groups_size": 1, "gpugraph_storage_mode":
    1, "host_trace_level": 1, "multiple_of_cupti_buffer_size": 1, "paddle_num_threads": 1,
    "communicator_max_merge_var_num": 20, "communicator_send_queue_size": 20, "eager_delete_tensor_gb": 0.0,
    "fraction_of_cpu_memory_to_use": 1.0, "graph_neighbor_size_percent": 1.0, "memory_fraction_of_eager_deletion":
    1.0, "fraction_of_cuda_pinned_memory_to_use": 0.5, "fraction_of_gpu_memory_to_use": 0.92,
    "fuse_parameter_memory_size": -1.0, "get_host_by_name_time": 120, "gpu_allocator_retry_time": 10000,
    "gpugraph_hbm_table_load_factor": 0.75, "gpugraph_merge_grads_segment_size": 128,
    "gpugraph_offload_gather_copy_maxsize": 16, "gpugraph_offload_param_extends": ".w_0_moment,.b_0_moment",
    "gpugraph_parallel_copyer_split_maxsize": 64, "gpugraph_parallel_stream_num": 8, "graph_edges_debug_node_num": 2,
    "graph_edges_split_mode": "hard", "initial_cpu_memory_in_mb": 500, "ir_inplace_kernel_blacklist": "",
    "pe_profile_fname": "", "pir_subgraph_saving_dir": "", "print_sub_graph_dir": "",
    "static_executor_perfstat_filepath": "", "tracer_mkldnn_ops_off": "", "tracer_mkldnn_ops_on": "",
    "jit_engine_type": "Predictor", "local_exe_sub_scope_limit": 256.0, "rocksdb_path": "database",
    "rpc_send_thread_num": 12, "search_cache_max_number": 1000000, "tensor_operants_mode": "eager",
    "tracer_profile_fname": "xxgperf",
}

DEFAULTS = {f"FLAGS_{name}": value for name, value in (
    *((name, False) for name in _OFF.split()), *((name, True) for name in _ON.split()), *_OTHERS.items())}
"""Name -> value."""
