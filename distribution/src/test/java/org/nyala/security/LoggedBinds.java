package org.nyala.security;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.SocketFactory;

/** Clients that fail to bind, also from elsewhere, and the log of it. Stateless. */
final class LoggedBinds {
  private static final int PORT = 50_000;

  private LoggedBinds() {}

  /** Returns the result code of a bind, on a connection of its own. */
  static int bind(int port, SocketFactory sockets, BindRequest request) throws LDAPException {
    try (LDAPConnection client = new LDAPConnection(sockets, "127.0.0.1", port)) {
      return code(client, request);
    }
  }

  static int code(LDAPConnection client, BindRequest request) {
    try {
      return client.bind(request).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  static List<String> lines(Path folder) throws IOException {
    String text = Files.readString(folder.resolve("logs/security.log"));
    // The last line may not be complete yet.
    String complete = text.substring(0, text.lastIndexOf('\n') + 1);
    // As it is: other methods end lines at other characters too.
    return complete.isEmpty() ? List.of() : List.of(complete.split("\n"));
  }

  /** Sockets of a proxy that connects for a client, which it names first. */
  static SocketFactory from(String client) {
    return new SocketFactory() {
      @Override
      public Socket createSocket() {
        return new Proxied(client);
      }

      @Override
      public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException();
      }
    };
  }

  private static final class Proxied extends Socket {
    private final String header;

    Proxied(String client) {
      boolean isIpv6 = client.contains(":");
      header =
          "PROXY %s %s %s %d 389\r\n"
              .formatted(
                  isIpv6 ? "TCP6" : "TCP4", client, isIpv6 ? "2001:db8::1" : "198.51.100.1", PORT);
    }

    @Override
    public void connect(SocketAddress server, int timeout) throws IOException {
      super.connect(server, timeout);
      getOutputStream().write(header.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
