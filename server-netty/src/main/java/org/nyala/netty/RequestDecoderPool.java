package org.nyala.netty;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** Decoders for workers: at most as many as decode at once. Thread-safe. */
final class RequestDecoderPool {
  private final ConcurrentLinkedQueue<RequestDecoder> idle = new ConcurrentLinkedQueue<>();
  private final Supplier<RequestDecoder> factory;

  /** Creates a pool that makes decoders with {@code factory}. */
  RequestDecoderPool(Supplier<RequestDecoder> factory) {
    this.factory = factory;
  }

  /** A decoder that nobody else uses until it is given back. */
  RequestDecoder take() {
    RequestDecoder decoder = idle.poll();
    return decoder != null ? decoder : factory.get();
  }

  /** Returns a decoder. */
  void giveBack(RequestDecoder decoder) {
    idle.add(decoder);
  }
}
