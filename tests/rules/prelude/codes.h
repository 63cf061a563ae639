// Stand-ins for C interfaces that answer with a code or with an error to free.
#pragma once

enum cudaError_t { cudaSuccess = 0, cudaErrorUnknown = 999 };
typedef struct CUstream_st* cudaStream_t;
extern "C" {
cudaError_t cudaMemcpyAsync(void* to, const void* from, unsigned long bytes, int kind, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaFree(void* memory);
cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t code);
}

typedef struct iree_status_handle_t* iree_status_t;
extern "C" {
iree_status_t iree_make_error(int code);
bool iree_status_is_ok(iree_status_t status);
void iree_status_ignore(iree_status_t status);
}
