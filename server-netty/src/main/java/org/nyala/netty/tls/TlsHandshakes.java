package org.nyala.netty.tls;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a connection's handshake: ends the connection if its peer breaks the protocol or
 * ends the encryption. Its own handler for bytes never sees either.
 *
 * <p>Confined to the channel's event loop.
 */
final class TlsHandshakes extends ChannelInboundHandlerAdapter {
  private final HandshakeLog log;
  private final SSLEngine engine;
  private final List<TlsCertificate> certificates;
  private final Consumer<TlsPeer> established;

  /** The error for which this ends the connection; null if there is none. */
  private @Nullable Throwable error;

  /**
   * Begins before the handshake.
   *
   * @param certificates the certificates of the server, one of which the client sees
   * @param established takes the outcome of a handshake that has succeeded, before anything is
   *     received
   */
  TlsHandshakes(
      HandshakeLog log,
      SSLEngine engine,
      List<TlsCertificate> certificates,
      Consumer<TlsPeer> established) {
    this.certificates = certificates;
    this.log = log;
    this.engine = engine;
    this.established = established;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        log.succeeded();
        established.accept(peer(engine.getSession()));
      } else {
        log.failed(context.channel(), error == null ? handshake.cause() : error);
      }
    }
    if (event instanceof SslCloseCompletionEvent) {
      // The client has said that it ends: without encryption there is no way on.
      ChannelFuture _ = context.close();
    }
    context.fireUserEventTriggered(event);
  }

  private TlsPeer peer(SSLSession session) {
    String cipher = session.getCipherSuite();
    return new TlsPeer(
        session.getProtocol(),
        cipher,
        CipherStrength.bits(cipher),
        EndPointBinding.of(certificates, session),
        ExporterBinding.of(session),
        certificate());
  }

  /** Returns the client's certificate, which the handshake has verified; null if it has none. */
  private @Nullable X509Certificate certificate() {
    if (!engine.getNeedClientAuth() && !engine.getWantClientAuth()) {
      return null;
    }
    try {
      return (X509Certificate) engine.getSession().getPeerCertificates()[0];
    } catch (SSLPeerUnverifiedException e) {
      // It has not shown one, and need not.
      return null;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof SSLException || cause.getCause() instanceof SSLException) {
      error = cause;
      ChannelFuture _ = context.close();
    } else {
      context.fireExceptionCaught(cause);
    }
  }

  /** The strength of ciphers, in bits of their keys. Stateless. */
  private static final class CipherStrength {
    private static final Pattern AES = Pattern.compile("AES_(\\d{3})_");
    private static final int CHACHA20_BITS = 256;

    private CipherStrength() {}

    /**
     * Returns the bits of the key of a suite by its registered name, such as {@code
     * TLS_AES_128_GCM_SHA256}; 0 for ciphers that are not in use any more.
     */
    static int bits(String suite) {
      Matcher aes = AES.matcher(suite);
      if (aes.find()) {
        return Integer.parseInt(aes.group(1));
      }
      return suite.contains("CHACHA20_POLY1305") ? CHACHA20_BITS : 0;
    }
  }

  /**
   * The data that bind an exchange of SASL to the certificate with which the server has ended a TLS
   * connection (RFC 5929, section 4, {@code tls-server-end-point}).
   *
   * <p>Stateless.
   */
  private static final class EndPointBinding {
    private static final byte[] NONE = {};

    private EndPointBinding() {}

    /**
     * Returns the data of a connection; empty if there are none for certificates of this kind, or
     * if it is not known which of several certificates the client has seen.
     */
    static byte[] of(List<TlsCertificate> certificates, SSLSession session) {
      X509Certificate leaf =
          certificates.size() == 1 ? certificates.getFirst().leaf() : used(certificates, session);
      return leaf == null ? NONE : of(leaf);
    }

    private static @Nullable X509Certificate used(
        List<TlsCertificate> certificates, SSLSession session) {
      Certificate[] local = session.getLocalCertificates();
      if (local == null || local.length == 0) {
        return null;
      }
      for (TlsCertificate each : certificates) {
        if (each.leaf().equals(local[0])) {
          return each.leaf();
        }
      }
      return null;
    }

    /**
     * Returns the data of a certificate: its digest with that of its signature, or a better one.
     */
    static byte[] of(X509Certificate leaf) {
      String digest =
          switch (SignatureDigest.of(leaf)) {
            case "MD5", "SHA1", "SHA256" -> "SHA-256";
            case "SHA224" -> "SHA-224";
            case "SHA384" -> "SHA-384";
            case "SHA512" -> "SHA-512";
            default -> "";
          };
      try {
        return digest.isEmpty()
            ? NONE
            : MessageDigest.getInstance(digest).digest(leaf.getEncoded());
      } catch (GeneralSecurityException _) {
        return NONE;
      }
    }
  }

  /**
   * The data that bind an exchange of SASL to one TLS connection (RFC 9266, {@code tls-exporter}):
   * with TLS 1.3 alone, where they are different for each connection, and with engines that export
   * keying material, which BoringSSL's does not.
   *
   * <p>Stateless.
   */
  private static final class ExporterBinding {
    private static final String LABEL = "EXPORTER-Channel-Binding";
    private static final int LENGTH = 32;
    private static final byte[] NONE = {};

    private ExporterBinding() {}

    /** Returns the data of a connection after its handshake; empty if there are none. */
    static byte[] of(SSLSession session) {
      if (!(session instanceof ExtendedSSLSession exporting)
          || !session.getProtocol().equals("TLSv1.3")) {
        return NONE;
      }
      try {
        return exporting.exportKeyingMaterialData(LABEL, NONE, LENGTH);
      } catch (SSLException | UnsupportedOperationException _) {
        return NONE;
      }
    }
  }
}
