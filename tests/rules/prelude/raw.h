// What raw handles are made, kept and freed with: just enough to be compiled. Comes after `fallible.h`.
#pragma once

extern "C" {
void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void free(void*);
void* memcpy(void*, const void*, size_t);
size_t strlen(const char*);
struct FILE;
char* strdup(const char*);
char* strchr(const char*, int);
int puts(const char*);
int printf(const char*, ...);
FILE* fopen(const char*, const char*);
int fclose(FILE*);
size_t fread(void*, size_t, size_t, FILE*);
int fseek(FILE*, long, int);
int open(const char*, int, ...);
int close(int);
long read(int, void*, size_t);
int ftruncate(int, long);
void exit(int);
void abort();
int getc(FILE*);
int ungetc(int, FILE*);
void rewind(FILE*);
}

namespace std {
template <class T, class D>
struct owned_by {  // stands for the unique_ptr with a deleter
  owned_by(T*, D);
  ~owned_by();
};
template <class T>
struct scoped_array {
  explicit scoped_array(T*);
  ~scoped_array();
  T* get() const;
};
}  // namespace std

namespace pybind11 {
struct handle {
  template <class... A>
  handle operator()(A&&...) const;
  handle attr(const char*) const;
};
struct object : handle {
  object();
  object(const object&);
  ~object();
};
struct function : object {};
}  // namespace pybind11
namespace py = pybind11;
using absl::FailedPreconditionError;
using absl::InternalError;
using absl::InvalidArgumentError;
