package org.nyala.netty.tls;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * The encryption of one connection before it begins, with its engine.
 *
 * <p>Confined to the channel's event loop. Either begun or discarded, once.
 */
public final class TlsEncryption {
  private final PartialRecords partial;
  private final SslHandler handler;
  private final TlsHandshakes handshakes;

  TlsEncryption(PartialRecords partial, SslHandler handler, TlsHandshakes handshakes) {
    this.partial = partial;
    this.handler = handler;
    this.handshakes = handshakes;
  }

  /** Encrypts what the channel sends and receives from now on. */
  public void begin(ChannelPipeline pipeline) {
    pipeline.addFirst(partial, handler, handshakes);
  }

  /** Gives back the memory of the engine. */
  public void discard() {
    boolean _ = ReferenceCountUtil.release(handler.engine());
  }
}
