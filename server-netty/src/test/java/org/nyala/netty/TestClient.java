package org.nyala.netty;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.netty.codec.LdapTags;

/** A client that sends bytes and reads whole messages. */
final class TestClient implements AutoCloseable {
  final Socket socket;
  private final DataInputStream in;

  /** The contents of a response. */
  record Response(int messageId, int tag, int code) {}

  TestClient(InetSocketAddress address) throws IOException {
    this(address, 0);
  }

  TestClient(InetSocketAddress address, int receiveBuffer) throws IOException {
    socket = new Socket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    socket.connect(address);
    InputStream raw = socket.getInputStream();
    in = new DataInputStream(new BufferedInputStream(raw, 65536));
  }

  TestClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Returns the next message; its code is -1 if it has none. */
  Response receive() throws IOException {
    byte[] message = receiveBytes();
    BerReader reader = BerReader.trusted(message);
    try {
      reader.enter(LdapTags.SEQUENCE);
      int id = reader.integer(LdapTags.INTEGER);
      int tag = reader.nextTag();
      reader.enter(tag);
      int code = reader.nextTag() == LdapTags.ENUMERATED ? reader.integer(LdapTags.ENUMERATED) : -1;
      return new Response(id, tag, code);
    } catch (InvalidBerException e) {
      throw new IOException(e);
    }
  }

  byte[] receiveBytes() throws IOException {
    int tag = in.readUnsignedByte();
    int first = in.readUnsignedByte();
    int length = first;
    byte[] header = {(byte) tag, (byte) first};
    if (first >= 0x80) {
      byte[] octets = in.readNBytes(first & 0x7f);
      length = 0;
      for (byte octet : octets) {
        length = length << 8 | octet & 0xff;
      }
      header = Pdus.concat(header, octets);
    }
    byte[] content = new byte[length];
    in.readFully(content);
    return Pdus.concat(header, content);
  }

  /** Returns whether the server has ended the stream, cleanly or not. */
  boolean isAtEnd() {
    try {
      return in.read() < 0;
    } catch (IOException e) {
      return !(e instanceof java.net.SocketTimeoutException);
    }
  }

  /** Reads to the end, and counts the notices of disconnection. */
  int drain() {
    int notices = 0;
    try {
      while (true) {
        Response response = receive();
        notices += response.messageId() == 0 ? 1 : 0;
      }
    } catch (IOException e) {
      return notices;
    }
  }

  /** Searches and counts the entries of the answer. */
  int search(int id, int entries) throws IOException {
    send(Pdus.search(id, "dc=example", entries));
    return receiveSearch(id);
  }

  int receiveSearch(int id) throws IOException {
    for (int count = 0; ; count++) {
      Response response = receive();
      if (response.messageId() != id) {
        throw new IOException("unexpected " + response);
      }
      if (response.tag() == LdapTags.SEARCH_RESULT_DONE) {
        if (response.code() != 0) {
          throw new IOException("unexpected " + response);
        }
        return count;
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
