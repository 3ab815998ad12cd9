package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of the requests of a connection that have not left yet, one after the other; it is used
 * over and over. Confined to the channel's event loop. Hot.
 */
public final class RequestBuffer {
  private static final int CAPACITY = 1024;
  private static final int SHORT_LENGTH_LIMIT = 0x80;

  private @Nullable ByteBuf requests;

  /** The buffer to whose end the next request is written. */
  public ByteBuf end(Wire wire) {
    ByteBuf out = requests;
    if (out == null) {
      out = wire.allocator().directBuffer(CAPACITY);
      requests = out;
    }
    return out;
  }

  /** Writes a whole message that {@link Pdu} made, with another message id. */
  public void message(Wire wire, int messageId, byte[] message) {
    ByteBuf out = end(wire);
    int start = out.writerIndex();
    out.writeBytes(message);
    out.setMedium(start + Pdu.messageIdPlace(message), messageId);
  }

  /** Writes a simple bind with a name that a search found. */
  public void bind(Wire wire, int messageId, byte[] dn, int dnLength, byte[] password) {
    int body = 3 + header(dnLength) + dnLength + header(password.length) + password.length;
    int content = 5 + header(body) + body;
    ByteBuf out = end(wire);
    element(out, 0x30, content);
    out.writeMedium(0x020300 | messageId >>> 16).writeShort(messageId);
    element(out, 0x60, body);
    out.writeMedium(0x020103);
    element(out, 0x04, dnLength);
    out.writeBytes(dn, 0, dnLength);
    element(out, 0x80, password.length);
    out.writeBytes(password);
  }

  private static int header(int length) {
    return length < SHORT_LENGTH_LIMIT ? 2 : 4;
  }

  private static void element(ByteBuf out, int tag, int length) {
    out.writeByte(tag);
    if (length < SHORT_LENGTH_LIMIT) {
      out.writeByte(length);
    } else {
      out.writeByte(0x82).writeShort(length);
    }
  }

  /** Sends all requests with one write. */
  public void flush(Wire wire) {
    ByteBuf out = requests;
    if (out != null && out.isReadable() && !wire.send(out)) {
      requests = null;
    }
  }

  public void release() {
    if (requests != null) {
      requests.release();
      requests = null;
    }
  }
}
