package org.nyala.blind;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.ldap.protocol.LDAPMessage;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection that sends messages and reads the answers as bytes.
 *
 * <p>Confined to one thread.
 */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = (int) TimeUnit.MINUTES.toMillis(1);
  private static final int SEARCH_ENTRY = 0x64;
  private static final int SEARCH_REFERENCE = 0x73;
  private static final int INTERMEDIATE = 0x79;

  private final Socket socket;
  private final DataInputStream in;

  RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  void send(LDAPMessage message) throws IOException {
    socket.getOutputStream().write(message.encode().encode());
  }

  /** Returns all messages up to the one that ends an operation. */
  List<byte[]> answer() throws IOException {
    List<byte[]> messages = new ArrayList<>();
    do {
      messages.add(next());
    } while (!isEnd(messages.getLast()));
    return messages;
  }

  byte[] next() throws IOException {
    byte[] message = next(PATIENCE_MILLIS);
    if (message == null) {
      throw new AssertionError("no answer within a minute");
    }
    return message;
  }

  /** Returns the next message; null if none has begun after some time. */
  byte @Nullable [] next(int millis) throws IOException {
    socket.setSoTimeout(millis);
    int tag;
    try {
      tag = in.read();
    } catch (SocketTimeoutException e) {
      return null;
    }
    if (tag < 0) {
      throw new EOFException("the server has closed the connection");
    }
    socket.setSoTimeout(PATIENCE_MILLIS);
    int first = in.readUnsignedByte();
    byte[] lengths = in.readNBytes(first < 0x80 ? 0 : first & 0x7f);
    int length = first < 0x80 ? first : 0;
    for (byte each : lengths) {
      length = length << 8 | each & 0xff;
    }
    byte[] message = new byte[2 + lengths.length + length];
    message[0] = (byte) tag;
    message[1] = (byte) first;
    System.arraycopy(lengths, 0, message, 2, lengths.length);
    in.readFully(message, 2 + lengths.length, length);
    return message;
  }

  /** Returns whether a message is the last one of its operation. */
  static boolean isEnd(byte[] message) {
    int type = Messages.operation(message).getType() & 0xff;
    return type != SEARCH_ENTRY && type != SEARCH_REFERENCE && type != INTERMEDIATE;
  }

  static boolean isEntry(ASN1Element operation) {
    return (operation.getType() & 0xff) == SEARCH_ENTRY;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
