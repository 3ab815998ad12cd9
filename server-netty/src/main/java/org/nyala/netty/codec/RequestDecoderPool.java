package org.nyala.netty.codec;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** A pool of decoders for workers: at most as many as decode at once. Thread-safe. */
public final class RequestDecoderPool {
  private final ConcurrentLinkedQueue<RequestDecoder> idle = new ConcurrentLinkedQueue<>();
  private final Supplier<RequestDecoder> factory;

  /** Creates a pool that makes decoders with {@code factory}. */
  public RequestDecoderPool(Supplier<RequestDecoder> factory) {
    this.factory = factory;
  }

  /** Returns a decoder that has no other user until it is given back. */
  public RequestDecoder take() {
    RequestDecoder decoder = idle.poll();
    return decoder != null ? decoder : factory.get();
  }

  public void giveBack(RequestDecoder decoder) {
    idle.add(decoder);
  }
}
