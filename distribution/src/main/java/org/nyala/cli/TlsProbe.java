package org.nyala.cli;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.nyala.config.ListenAddress;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.error.CommandException;
import org.nyala.error.ExitCode;
import org.nyala.netty.tls.CertificateText;

/**
 * A look at the certificate that a server serves, trusted or not: nothing is sent to it but the
 * request for encryption.
 *
 * <p>Stateless.
 */
final class TlsProbe {
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final int EXTENDED_REQUEST = 0x77;
  private static final int EXTENDED_RESPONSE = 0x78;
  private static final int REQUEST_NAME = 0x80;
  private static final int SEQUENCE = 0x30;
  private static final int SHORT_LENGTH = 0x7f;
  private static final int MOST_BYTES = 64 << 10;

  private TlsProbe() {}

  /** Connects, and describes protocol, cipher and certificate. */
  static List<String> describe(ListenAddress address, Instant now) throws IOException {
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(address.host(), address.port()), TIMEOUT_MILLIS);
      plain.setSoTimeout(TIMEOUT_MILLIS);
      if (!address.isTls()) {
        startTls(plain);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Anything()}, null);
      SSLSocket encrypted =
          (SSLSocket)
              context.getSocketFactory().createSocket(plain, address.host(), address.port(), true);
      encrypted.startHandshake();
      return describe(encrypted.getSession(), now);
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static List<String> describe(SSLSession session, Instant now) throws IOException {
    List<X509Certificate> chain = new ArrayList<>();
    for (Certificate certificate : session.getPeerCertificates()) {
      chain.add((X509Certificate) certificate);
    }
    List<String> lines = new ArrayList<>();
    lines.add("  " + session.getProtocol() + ", " + session.getCipherSuite());
    lines.addAll(CertificateText.of(chain, now));
    return lines;
  }

  private static void startTls(Socket socket) throws IOException {
    BerWriter request =
        new BerWriter()
            .constructed(
                EXTENDED_REQUEST, new BerWriter().text(REQUEST_NAME, StartTlsOperation.OID));
    socket
        .getOutputStream()
        .write(
            new BerWriter()
                .sequence(new BerWriter().integer(1).raw(request.toByteArray()))
                .toByteArray());
    try {
      BerReader response = BerReader.trusted(content(new DataInputStream(socket.getInputStream())));
      int _ = response.integer();
      BerReader result = response.content(EXTENDED_RESPONSE);
      int code = result.enumerated();
      if (code != 0) {
        byte[] _ = result.octets();
        throw new CommandException(
            ExitCode.FAILED,
            "the server does not encrypt ("
                + code
                + "): "
                + CertificateText.printable(result.text()));
      }
    } catch (InvalidBerException e) {
      throw new IOException("no answer to the request for encryption", e);
    }
  }

  /** Reads the content of a message, with its length in any form (X.690, section 8.1.3). */
  private static byte[] content(DataInputStream in) throws IOException {
    if (in.readUnsignedByte() != SEQUENCE) {
      throw new IOException("no LDAP message");
    }
    int length = in.readUnsignedByte();
    if (length > SHORT_LENGTH) {
      int octets = length & SHORT_LENGTH;
      length = 0;
      for (int i = 0; i < octets && length <= MOST_BYTES; i++) {
        length = length << Byte.SIZE | in.readUnsignedByte();
      }
    }
    if (length > MOST_BYTES) {
      throw new IOException("the answer to the request for encryption is too long");
    }
    byte[] content = new byte[length];
    in.readFully(content);
    return content;
  }

  /**
   * Trusts every certificate, because it is only shown. Extended, so that the JDK adds no checks.
   */
  private static final class Anything extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {
      // It is shown, not used.
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
      // It is shown, not used.
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) {
      // It is shown, not used.
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
