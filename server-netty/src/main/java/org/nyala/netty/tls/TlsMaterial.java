package org.nyala.netty.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.SimpleKeyManagerFactory;
import io.netty.internal.tcnative.SSL;
import java.security.KeyStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManager;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of a server and the context that encrypts with them; a reload makes another one.
 *
 * <p>Immutable. The context of BoringSSL is freed by its finalizer: connections that it has opened
 * may outlast a reload.
 *
 * @param context creates the engines of connections
 * @param certificates its certificates
 * @param isNative true if the engine is BoringSSL
 * @param clients verifies the certificates of clients; null if they are not asked for any
 */
record TlsMaterial(
    SslContext context,
    List<TlsCertificate> certificates,
    boolean isNative,
    @Nullable ClientVerifier clients) {
  static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /** Suites with forward secrecy and authenticated encryption only. */
  private static final List<String> SUITES =
      List.of(
          "TLS_AES_128_GCM_SHA256",
          "TLS_AES_256_GCM_SHA384",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

  TlsMaterial {
    certificates = List.copyOf(certificates);
  }

  /**
   * Reads the files of settings and creates a context.
   *
   * @throws TlsFileException if a file cannot be used
   */
  static TlsMaterial read(TlsSettings settings) throws TlsFileException {
    List<TlsCertificate> certificates = new ArrayList<>();
    for (TlsSettings.Files files : settings.certificates()) {
      certificates.add(TlsCertificate.read(files));
    }
    ClientVerifier clients = ClientVerifier.read(settings.clients());
    boolean isNative = isNative(settings.engine(), certificates, clients != null);
    SimpleKeyManagerFactory keys = new Keys(new CertificateChooser(certificates));
    SslContextBuilder builder =
        SslContextBuilder.forServer(isNative ? new OpenSslCachingX509KeyManagerFactory(keys) : keys)
            .sslProvider(isNative ? SslProvider.OPENSSL : SslProvider.JDK)
            .protocols(PROTOCOLS)
            .ciphers(SUITES, SupportedCipherSuiteFilter.INSTANCE);
    if (clients != null) {
      ask(builder, clients, isNative);
    }
    try {
      SslContext context = builder.build();
      if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
        if (clients != null && clients.isWaiting()) {
          sessions.setSessionCacheEnabled(false);
        } else {
          // Without keys of ours, BoringSSL makes some and changes them itself.
          sessions.setTicketKeys();
        }
      }
      return new TlsMaterial(context, certificates, isNative, clients);
    } catch (SSLException e) {
      throw new TlsFileException("cannot set up TLS: " + e.getMessage(), e);
    }
  }

  /** Has a context ask for certificates, and verify them in tasks, not on event loops. */
  private static void ask(SslContextBuilder builder, ClientVerifier clients, boolean isNative) {
    builder.trustManager(clients);
    builder.clientAuth(clients.isRequired() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL);
    if (isNative) {
      builder.option(OpenSslContextOption.USE_TASKS, true);
      builder.option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, ClientVerifier.MOST_BYTES);
    }
  }

  /**
   * Returns a handler for one connection.
   *
   * @param tasks runs what must not run on the event loop
   */
  SslHandler handler(ByteBufAllocator allocator, Executor tasks) {
    SslHandler handler = context.newHandler(allocator, tasks);
    if (isWaiting() && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
      // Netty enables tickets of TLS 1.3 for every engine, whatever its context says.
      SSL.setOptions(engine.sslPointer(), SSL.SSL_OP_NO_TICKET);
    }
    return handler;
  }

  /** Returns whether handshakes wait for others; their sessions are not resumed then. */
  boolean isWaiting() {
    return clients != null && clients.isWaiting();
  }

  /**
   * BoringSSL signs on the event loop, which is short with keys of elliptic curves only, and knows
   * no others but RSA. But the JDK offers clients no signatures of PKCS#1 with TLS 1.3, without
   * which GnuTLS does not show the certificate of an RSA key.
   *
   * @param asksClients true if clients are asked for certificates
   */
  private static boolean isNative(
      TlsSettings.Engine engine, List<TlsCertificate> certificates, boolean asksClients)
      throws TlsFileException {
    if (engine == TlsSettings.Engine.BORINGSSL) {
      if (!OpenSsl.isAvailable()) {
        throw new TlsFileException(
            "BoringSSL cannot be loaded here: " + OpenSsl.unavailabilityCause());
      }
      if (isAny("EdDSA", certificates)) {
        throw new TlsFileException("BoringSSL takes no Ed25519 keys: tls.engine = jdk does");
      }
      return true;
    }
    return engine == TlsSettings.Engine.AUTO
        && (asksClients
            ? !isAny("EdDSA", certificates)
            : certificates.stream().allMatch(each -> each.algorithm().equals("EC")))
        && OpenSsl.isAvailable();
  }

  private static boolean isAny(String algorithm, List<TlsCertificate> certificates) {
    return certificates.stream().anyMatch(each -> each.algorithm().equals(algorithm));
  }

  /** Returns which revocation list has ended, for people; empty if none has. */
  String lapse(Instant now) {
    return clients == null ? "" : clients.lapse(now);
  }

  /** Returns the time at which the first certificate ends. */
  Instant firstEnd() {
    return certificates.stream()
        .map(TlsCertificate::notAfter)
        .min(Instant::compareTo)
        .orElse(Instant.MAX);
  }

  /** Returns the subject of the certificate that ends first, for people; empty without any. */
  String firstEnding() {
    return certificates.stream()
        .min(Comparator.comparing(TlsCertificate::notAfter))
        .map(first -> CertificateText.printable(TlsCertificate.name(first.leaf())))
        .orElse("");
  }

  /** Hands out one key manager. */
  private static final class Keys extends SimpleKeyManagerFactory {
    private final KeyManager manager;

    Keys(KeyManager manager) {
      this.manager = manager;
    }

    @Override
    protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {
      // The keys are there.
    }

    @Override
    protected void engineInit(@Nullable ManagerFactoryParameters parameters) {
      // The keys are there.
    }

    @Override
    protected KeyManager[] engineGetKeyManagers() {
      return new KeyManager[] {manager};
    }
  }
}
