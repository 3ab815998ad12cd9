package org.nyala.netty.codec;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** Decoders for workers: at most as many as decode at once. Thread-safe. */
public final class RequestDecoderPool {
  private final ConcurrentLinkedQueue<RequestDecoder> idle = new ConcurrentLinkedQueue<>();
  private final Supplier<RequestDecoder> factory;

  /** Creates a pool that makes decoders with {@code factory}. */
  public RequestDecoderPool(Supplier<RequestDecoder> factory) {
    this.factory = factory;
  }

  /** A decoder that nobody else uses until it is given back. */
  public RequestDecoder take() {
    RequestDecoder decoder = idle.poll();
    return decoder != null ? decoder : factory.get();
  }

  /** Returns a decoder. */
  public void giveBack(RequestDecoder decoder) {
    idle.add(decoder);
  }
}
