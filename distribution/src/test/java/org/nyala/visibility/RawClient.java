package org.nyala.visibility;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.sdk.Control;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HexFormat;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * A client that gets the answers to its requests as bytes: two that send the same requests have the
 * same message ids.
 *
 * <p>Confined to one thread.
 */
final class RawClient implements AutoCloseable {
  private static final int MILLIS = 30_000;
  private static final int FIRST_ANSWER = 0x64;
  private static final int REFERENCE = 0x73;
  private static final int INTERMEDIATE = 0x79;

  private final Socket socket;
  private final InputStream in;
  private int id;

  RawClient(RunningServer server, String name, String password) throws Exception {
    socket = new Socket(InetAddress.getLoopbackAddress(), LocalServer.port(server));
    socket.setSoTimeout(MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
    ask(new BindRequestProtocolOp(name, password));
  }

  /** Sends a request. */
  void send(ProtocolOp request, Control... controls) throws IOException {
    socket.getOutputStream().write(new LDAPMessage(++id, request, controls).encode().encode());
  }

  /** Returns the next message, whatever it is. */
  ASN1Element next() throws Exception {
    ASN1Element message = ASN1Element.readFrom(in);
    if (message == null) {
      throw new IOException("the server has closed the connection");
    }
    return message;
  }

  /** Returns the messages that answer a request, in hexadecimal digits. */
  String ask(ProtocolOp request, Control... controls) throws Exception {
    send(request, controls);
    StringBuilder answers = new StringBuilder();
    while (true) {
      ASN1Element message = next();
      answers.append(HexFormat.of().formatHex(message.encode())).append('\n');
      int type = message.decodeAsSequence().elements()[1].getType() & 0xff;
      if (type != FIRST_ANSWER && type != REFERENCE && type != INTERMEDIATE) {
        return answers.toString();
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
