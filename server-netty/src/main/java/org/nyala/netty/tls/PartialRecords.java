package org.nyala.netty.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import java.util.function.LongSupplier;
import org.nyala.core.budget.MemoryAccount;

/**
 * Bounds the records of which a client has sent a part only: a record is decrypted as a whole, so
 * that nothing behind the engine sees them. Their bytes are charged, and their connection is closed
 * if they do not become whole in time. What cannot be a record is refused by its first bytes: an
 * engine would wait for as many bytes as these seem to announce.
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

  /** The types of records: change of cipher, alert, handshake, application data. */
  private static final byte FIRST_TYPE = 20;

  private static final byte LAST_TYPE = 23;

  /** The type of a record of a handshake. TLS 1.3 hides the types of all that follow the first. */
  private static final byte HANDSHAKE = 22;

  /** The first byte of the version, the same from SSL 3.0 to TLS 1.3. */
  private static final byte MAJOR_VERSION = 3;

  /** The longest content of a record of TLS 1.2 (RFC 5246, section 6.2.3); 1.3 allows less. */
  private static final int LONGEST_BYTES = (1 << 14) + 2048;

  private final PartialInput input;
  private boolean isEstablished;
  private boolean isRefused;
  private boolean isNoRecord;
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
    if (isNoRecord) {
      bytes.release();
      return;
    }
    follow(bytes);
    if (isRefused) {
      bytes.release();
      ChannelFuture _ = context.close();
    } else if (isNoRecord) {
      bytes.release();
      context.fireExceptionCaught(new NotSslRecordException("no record of TLS has such a head"));
    } else {
      context.fireChannelRead(bytes);
    }
  }

  private void follow(ByteBuf bytes) {
    int at = bytes.readerIndex();
    int end = bytes.writerIndex();
    while (at < end && !isNoRecord) {
      if (headerSeen < HEADER_BYTES) {
        isRefused |= isEstablished && headerSeen == 0 && bytes.getByte(at) == HANDSHAKE;
        length = length << Byte.SIZE & OCTET << Byte.SIZE | bytes.getByte(at) & OCTET;
        isNoRecord = !isPossible(bytes.getByte(at));
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

  /** Returns whether a record may have the byte of its head that follows those seen. */
  private boolean isPossible(byte next) {
    return switch (headerSeen) {
      case 0 -> next >= FIRST_TYPE && next <= LAST_TYPE;
      case 1 -> next == MAJOR_VERSION;
      case HEADER_BYTES - 1 -> length <= LONGEST_BYTES;
      default -> true;
    };
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
