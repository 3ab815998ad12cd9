package org.nyala.netty.tls;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import org.nyala.core.budget.OwnedSlots;

/**
 * The encryption of one connection before it begins, with its engine. The memory of the engine is
 * held until the connection is closed.
 *
 * <p>Confined to the channel's event loop. Either begun or discarded, once.
 */
public final class TlsEncryption {
  /**
   * The bytes charged for an engine: as much heap as one takes while it is idle, rounded up. With
   * the JDK's, a handshake takes half as much again for its time; BoringSSL takes up to three times
   * as much outside of the heap, which the charge bounds, too.
   */
  public static final int ENGINE_BYTES = 8 << 10;

  private final OwnedSlots.Slot slot;
  private final PartialRecords partial;
  private final SslHandler handler;
  private final TlsHandshakes handshakes;

  /**
   * Creates one that has not begun.
   *
   * @param slot the place of the engine, which is this object's to give back
   */
  TlsEncryption(
      OwnedSlots.Slot slot, PartialRecords partial, SslHandler handler, TlsHandshakes handshakes) {
    this.slot = slot;
    this.partial = partial;
    this.handler = handler;
    this.handshakes = handshakes;
  }

  /** Encrypts what the channel sends and receives from now on. */
  public void begin(ChannelPipeline pipeline) {
    pipeline.channel().closeFuture().addListener(_ -> slot.giveBack());
    pipeline.addFirst(partial, handler, handshakes);
  }

  /** Gives back the place of the engine. */
  public void discard() {
    slot.giveBack();
    boolean _ = ReferenceCountUtil.release(handler.engine());
  }
}
