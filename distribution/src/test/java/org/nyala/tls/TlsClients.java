package org.nyala.tls;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerWriter;

/** Clients of encrypted connections, of which some send what no library would. */
final class TlsClients {
  private static final String START_TLS = "1.3.6.1.4.1.1466.20037";
  private static final String PERSISTENT_SEARCH = "2.16.840.1.113730.3.4.3";

  private TlsClients() {}

  /** Returns a context of clients that trust some certificates and no other. */
  static SSLContext trusting(TestCertificates.Pair... pairs)
      throws GeneralSecurityException, IOException {
    return trusting(
        Stream.of(pairs).map(TestCertificates.Pair::certificate).toArray(X509Certificate[]::new));
  }

  /** Returns a context of clients that trust some certificates and no other. */
  static SSLContext trusting(X509Certificate... certificates)
      throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    for (int i = 0; i < certificates.length; i++) {
      trusted.setCertificateEntry("trusted" + i, certificates[i]);
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  /** Opens a connection that is encrypted on request, with some cipher suites or any. */
  static SSLSocket startTls(int port, TestCertificates.Pair pair, String... suites)
      throws Exception {
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
    plain.getOutputStream().write(startTls());
    byte[] _ = message(plain.getInputStream());
    SSLSocket encrypted =
        (SSLSocket) trusting(pair).getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
    if (suites.length > 0) {
      encrypted.setEnabledCipherSuites(suites);
    }
    encrypted.startHandshake();
    return encrypted;
  }

  /** Returns the request for encryption (RFC 4511, section 4.14). */
  static byte[] startTls() {
    BerWriter request = new BerWriter().constructed(0x77, new BerWriter().text(0x80, START_TLS));
    return message(1, request, new BerWriter());
  }

  /** Returns the first bytes of a handshake of a client that would go on. */
  static byte[] hello(TestCertificates.Pair pair) throws GeneralSecurityException, IOException {
    SSLEngine engine = trusting(pair).createSSLEngine("ldap.example.com", 636);
    engine.setUseClientMode(true);
    ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.wrap(ByteBuffer.allocate(0), out);
    return Arrays.copyOf(out.array(), out.position());
  }

  private static byte[] message(int id, BerWriter request, BerWriter controls) {
    BerWriter message = new BerWriter().integer(id).raw(request.toByteArray());
    return new BerWriter().sequence(message.raw(controls.toByteArray())).toByteArray();
  }

  /** A search that goes on when every entry is sent (draft-ietf-ldapext-psearch). */
  static byte[] persistentSearch(int id, String base) {
    BerWriter search =
        new BerWriter()
            .text(base)
            .enumerated(2)
            .enumerated(0)
            .integer(0)
            .integer(0)
            .bool(false)
            .text(0x87, "objectClass")
            .sequence(new BerWriter().text("1.1"));
    BerWriter value = new BerWriter().sequence(new BerWriter().integer(15).bool(false).bool(true));
    BerWriter control =
        new BerWriter()
            .sequence(
                new BerWriter().text(PERSISTENT_SEARCH).bool(true).octets(value.toByteArray()));
    return message(
        id, new BerWriter().constructed(0x63, search), new BerWriter().constructed(0xa0, control));
  }

  /** Reads one message, of less than 128 bytes. */
  static byte[] message(InputStream in) throws IOException {
    byte[] head = in.readNBytes(2);
    if (head.length < 2 || head[0] != 0x30 || head[1] < 0) {
      throw new IOException("no short message");
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.write(head);
    whole.write(in.readNBytes(head[1]));
    return whole.toByteArray();
  }

  /** Reads what the server still sends until the connection ends in any way. */
  static byte[] rest(Socket socket) {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    try {
      socket.getInputStream().transferTo(rest);
    } catch (IOException e) {
      // Bytes that the server has not read destroy what it has sent.
      rest.writeBytes(new byte[0]);
    }
    return rest.toByteArray();
  }
}
