package org.nyala.netty.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Chooses a server's certificate by the kind of key that the handshake needs and the name that the
 * client asks for; without a name, or for an unknown one, the first with such a key.
 *
 * <p>Immutable.
 */
final class CertificateChooser extends X509ExtendedKeyManager {
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
