package org.nyala.loadtest.compare;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.LoadTestException;
import org.nyala.loadtest.workload.People;

/** Gives people passwords that the server stores by its own scheme. Stateless. */
final class SlowPasswords {
  private static final int TIMEOUT_MILLIS = 30_000;

  private SlowPasswords() {}

  /** Sets the passwords of {@code uid=user.0} and so on to their values in a sample. */
  static void set(InetSocketAddress server, int people) throws IOException, LoadTestException {
    try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      ask(socket, Pdu.bind(Account.ROOT.dn(), Account.ROOT.password()));
      for (int user = 0; user < people; user++) {
        String dn = "uid=user." + user + "," + People.DEFAULT_PARENT;
        ask(socket, Pdu.passwordModify(dn, "password." + user));
      }
    }
  }

  /** Sends a request and reads its response, which is short: one octet of length. */
  private static void ask(Socket socket, byte[] request) throws IOException, LoadTestException {
    socket.getOutputStream().write(request);
    DataInputStream in = new DataInputStream(socket.getInputStream());
    in.readUnsignedByte();
    byte[] message = in.readNBytes(in.readUnsignedByte());
    // The message id takes five octets, the operation's tag and length two, the result code three.
    int code = message[5 + 2 + 2];
    if (code != 0) {
      throw new LoadTestException("a slow password was refused with " + code);
    }
  }
}
