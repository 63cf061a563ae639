// Small stand-ins, written for these tests: what backends and queues are made of.
#pragma once

class Status {
 public:
  bool ok() const;
  const char* message() const;
};
Status InvalidArgument(const char* why);
Status Ok();

struct Stream;
struct Queue;
struct Node;
struct Pool;
struct Matrix;
struct Missing {
  explicit Missing(const char* what);
};
struct TooMany {};

Status Start(Stream* stream);
void Begin(Stream* stream);
void Submit(Stream* stream, int count);
Status Finish(Stream* stream);

void mark(Node* node);
void store(Node* node, int value);
void publish(Node* node, int value);
void count(Pool* pool, int number);
void push(Pool* pool, Node* node);

int take(Queue* queue, int limit);
void open(Queue* queue, int count);
void fill(Queue* queue, int count);
void shut(Queue* queue, int count);
void step(Queue* queue, int count);

void log(const char* what, int number);
void note(bool flag, int number);
void touch(bool flag);
void swing(int how);
void ring(int how);
