package org.nyala.netty.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.function.LongSupplier;
import org.nyala.core.budget.MemoryAccount;

/**
 * Bounds the records of which a client has sent a part only: a record is decrypted as a whole, so
 * that nothing behind the engine sees them. Their bytes are charged, and their connection is closed
 * if they do not become whole in time.
 *
 * <p>It also refuses handshakes behind the first one, which TLS 1.2 lets clients begin over and
 * over (renegotiation), at a cost to the server each time and with another certificate at will.
 * BoringSSL refuses them itself, the JDK only if a property is set, as the launcher does.
 *
 * <p>Confined to the channel's event loop.
 */
final class PartialRecords extends ChannelInboundHandlerAdapter {
  /** The bytes before a record's content, of which the last two are its length (RFC 8446, 5.1). */
  private static final int HEADER_BYTES = 5;

  private static final int OCTET = 0xff;

  /** The type of a record of a handshake. TLS 1.3 hides the types of all that follow the first. */
  private static final byte HANDSHAKE = 22;

  private final PartialInput input;
  private boolean isEstablished;
  private boolean isRefused;
  private int headerSeen;
  private int length;
  private int left;
  private long records;

  /**
   * Begins between two records.
   *
   * @param memory the account charged for their bytes
   * @param timeoutMillis the time for which a record may be in part; 0 is for ever
   */
  PartialRecords(MemoryAccount memory, LongSupplier timeoutMillis) {
    this.input = new PartialInput(memory, timeoutMillis);
  }

  /** Notes that the handshake has succeeded: no other one may follow. */
  void established() {
    isEstablished = true;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    follow(bytes);
    if (isRefused) {
      bytes.release();
      ChannelFuture _ = context.close();
    } else {
      context.fireChannelRead(bytes);
    }
  }

  private void follow(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at < end) {
      if (headerSeen < HEADER_BYTES) {
        isRefused |= isEstablished && headerSeen == 0 && bytes.getByte(at) == HANDSHAKE;
        length = length << Byte.SIZE & OCTET << Byte.SIZE | bytes.getByte(at) & OCTET;
        at++;
        headerSeen++;
        left = length;
      }
      if (headerSeen == HEADER_BYTES) {
        int taken = Math.min(left, end - at);
        left -= taken;
        at += taken;
        if (left == 0) {
          headerSeen = 0;
          records++;
        }
      }
    }
  }

  private int waiting() {
    return headerSeen < HEADER_BYTES ? headerSeen : HEADER_BYTES + length - left;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    input.waits(context, waiting(), records);
    context.fireChannelReadComplete();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    input.close();
  }
}
