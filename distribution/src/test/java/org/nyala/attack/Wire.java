package org.nyala.attack;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A connection that sends bytes, and reads only as much of the answers as identifies them.
 *
 * <p>Confined to one thread, except for {@link #close}; one thread may send and another one read.
 */
final class Wire implements AutoCloseable {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int SEARCH_ENTRY = 0x64;
  private static final int SEARCH_REFERENCE = 0x73;
  private static final int INTERMEDIATE = 0x79;

  /**
   * The end of an operation.
   *
   * @param entries search result entries before it
   * @param bytes its length
   */
  record Result(int id, int code, int entries, int bytes) {}

  private final Socket socket = new Socket();
  private final OutputStream out;
  private final DataInputStream in;

  /**
   * Connects.
   *
   * @param from the address of the client, on loopback
   */
  Wire(String from, int port) throws IOException {
    try {
      socket.bind(new InetSocketAddress(from, 0));
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
      socket.setTcpNoDelay(true);
      out = socket.getOutputStream();
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 4096));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Returns the address and the port from which it has connected. */
  String local() {
    return socket.getLocalAddress().getHostAddress() + ":" + socket.getLocalPort();
  }

  void timeout(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  void send(byte[] bytes, int from, int length) throws IOException {
    out.write(bytes, from, length);
  }

  /** Reads up to the end of the next operation that ends. */
  Result read() throws IOException {
    int entries = 0;
    while (true) {
      in.readByte();
      int left = length();
      in.readByte();
      int idLength = in.readByte();
      int id = integer(idLength);
      int operation = in.readUnsignedByte();
      left -= 2 + idLength + 1;
      if (operation != SEARCH_ENTRY && operation != SEARCH_REFERENCE && operation != INTERMEDIATE) {
        return result(id, left, entries);
      }
      in.skipNBytes(left);
      entries += operation == SEARCH_ENTRY ? 1 : 0;
    }
  }

  private Result result(int id, int left, int entries) throws IOException {
    byte[] rest = new byte[left];
    in.readFully(rest);
    int at = rest[0] >= 0 ? 1 : 1 + (rest[0] & 0x7f);
    if (rest[at] != Ber.ENUMERATED) {
      throw new EOFException("no result code");
    }
    return new Result(id, rest[at + 2], entries, left);
  }

  private int integer(int length) throws IOException {
    int value = 0;
    for (int i = 0; i < length; i++) {
      value = value << 8 | in.readUnsignedByte();
    }
    return value;
  }

  private int length() throws IOException {
    int first = in.readByte();
    return first >= 0 ? first : integer(first & 0x7f);
  }

  @Override
  public void close() {
    try {
      // Unread answers are discarded.
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // The connection was closed already.
    }
  }
}
