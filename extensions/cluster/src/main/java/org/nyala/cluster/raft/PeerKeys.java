package org.nyala.cluster.raft;

import java.net.Socket;
import java.nio.file.Path;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** The certificate and the key of a member, as its files are now. Thread-safe. */
final class PeerKeys extends X509ExtendedKeyManager {
  /** The one alias; what it stands for changes with the files. */
  private static final String ALIAS = "member";

  private final Reloaded<Pair> files;

  /** A certificate chain and the key of its first. Immutable. */
  private record Pair(List<X509Certificate> chain, PrivateKey key) {}

  PeerKeys(Path chain, Path key) throws RaftException {
    this.files =
        new Reloaded<>(
            List.of(chain, key),
            () -> {
              List<X509Certificate> certificates = PemFiles.certificates(chain);
              return new Pair(certificates, PemFiles.key(key, certificates.getFirst()));
            });
  }

  private boolean isOfType(String keyType) {
    return files.get().key.getAlgorithm().equals(keyType);
  }

  private @Nullable String alias(String[] keyTypes) {
    for (String keyType : keyTypes) {
      if (isOfType(keyType)) {
        return ALIAS;
      }
    }
    return null;
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return alias(keyTypes);
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return isOfType(keyType) ? ALIAS : null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return alias(keyTypes);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return isOfType(keyType) ? ALIAS : null;
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return isOfType(keyType) ? new String[] {ALIAS} : null;
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return isOfType(keyType) ? new String[] {ALIAS} : null;
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return files.get().chain.toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return files.get().key;
  }
}
