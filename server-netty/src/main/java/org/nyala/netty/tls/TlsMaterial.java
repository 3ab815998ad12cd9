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
import java.net.Socket;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManager;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.X509ExtendedKeyManager;
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

  /**
   * Chooses a server's certificate by the kind of key that the handshake needs and the name that
   * the client asks for; without a name, or for an unknown one, the first with such a key.
   *
   * <p>Immutable.
   */
  private static final class CertificateChooser extends X509ExtendedKeyManager {
    private final List<TlsCertificate> certificates;
    private final List<List<String>> names;

    CertificateChooser(List<TlsCertificate> certificates) {
      this.certificates = List.copyOf(certificates);
      this.names = this.certificates.stream().map(TlsCertificate::hostNames).toList();
    }

    /** Engines ask for one kind of key after the other: only that of the chosen one is answered. */
    @Override
    public @Nullable String chooseEngineServerAlias(
        String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
      return chooseFor(keyType, engine.getHandshakeSession());
    }

    private @Nullable String chooseFor(String keyType, @Nullable SSLSession session) {
      int chosen = choose(session);
      boolean isAnswered = chosen >= 0 && fits(certificates.get(chosen).algorithm(), keyType);
      return isAnswered ? Integer.toString(chosen) : null;
    }

    /** Returns the first for the host, or else the first, whose kind of key the client supports. */
    private int choose(@Nullable SSLSession session) {
      String host = host(session);
      int first = -1;
      for (int i = 0; i < certificates.size(); i++) {
        if (isSupported(certificates.get(i).algorithm(), session)) {
          if (host != null && TlsCertificate.isAmong(names.get(i), host)) {
            return i;
          }
          first = first < 0 ? i : first;
        }
      }
      return first;
    }

    private static boolean isSupported(String algorithm, @Nullable SSLSession session) {
      String[] offered =
          session instanceof ExtendedSSLSession extended
              ? extended.getPeerSupportedSignatureAlgorithms()
              : new String[0];
      String wanted =
          switch (algorithm) {
            case "EC" -> "ECDSA";
            case "RSA" -> "RSA";
            default -> "Ed";
          };
      // Clients that offer none support the oldest ones.
      return offered.length == 0 || Arrays.stream(offered).anyMatch(name -> name.contains(wanted));
    }

    /** Engines name kinds of keys differently: BoringSSL's has the key agreement as well. */
    private static boolean fits(String algorithm, String keyType) {
      return switch (keyType) {
        case "EC", "EC_EC" -> algorithm.equals("EC");
        case "RSA", "RSASSA-PSS" -> algorithm.equals("RSA");
        case "EdDSA", "Ed25519" -> algorithm.equals("EdDSA");
        default -> false;
      };
    }

    private static @Nullable String host(@Nullable SSLSession session) {
      if (session instanceof ExtendedSSLSession extended) {
        for (SNIServerName name : extended.getRequestedServerNames()) {
          if (name.getType() == StandardConstants.SNI_HOST_NAME) {
            return name instanceof SNIHostName host
                ? host.getAsciiName()
                : new SNIHostName(name.getEncoded()).getAsciiName();
          }
        }
      }
      return null;
    }

    private @Nullable TlsCertificate at(@Nullable String alias) {
      if (alias == null) {
        return null;
      }
      int index = Integer.parseInt(alias);
      return index < certificates.size() ? certificates.get(index) : null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
      TlsCertificate chosen = at(alias);
      return chosen == null ? null : chosen.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
      TlsCertificate chosen = at(alias);
      return chosen == null ? null : chosen.key();
    }

    @Override
    public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
      List<String> aliases = new ArrayList<>();
      for (int i = 0; i < certificates.size(); i++) {
        if (fits(certificates.get(i).algorithm(), keyType)) {
          aliases.add(Integer.toString(i));
        }
      }
      return aliases.toArray(String[]::new);
    }

    @Override
    public @Nullable String chooseServerAlias(
        String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
      SSLSession session =
          socket instanceof SSLSocket encrypted ? encrypted.getHandshakeSession() : null;
      return chooseFor(keyType, session);
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return null;
    }
  }
}
