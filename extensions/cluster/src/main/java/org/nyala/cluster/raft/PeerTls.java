package org.nyala.cluster.raft;

import java.nio.file.Path;
import java.util.List;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;

/**
 * Mutual TLS between members: each shows a certificate and demands one of a trusted authority.
 * Thread-safe.
 *
 * <p>The files are PEM and are read again when they change, without a restart: connections that are
 * open stay. A file that cannot be read then is logged, and what was read before stays in force.
 */
public final class PeerTls {
  private final PeerKeys keys;
  private final PeerTrust trust;

  /**
   * Reads the files.
   *
   * @param chain the certificate of this member, and those between it and the authority
   * @param key its private key: PKCS#8, not encrypted
   * @param authorities the certificates of the authorities, or of the members themselves
   * @throws RaftException if a file cannot be read, or key and certificate do not belong together
   */
  public PeerTls(Path chain, Path key, Path authorities) throws RaftException {
    this.keys = new PeerKeys(chain, key);
    this.trust = new PeerTrust(authorities);
  }

  GrpcTlsConfig toConfig() {
    // The JDK's engine asks these for every handshake; OpenSSL's would keep what it was given.
    return GrpcTlsConfig.newBuilder()
        .setKeyManager(keys)
        .setTrustManager(trust)
        .setMutualTls(true)
        .setSslProvider(SslProvider.JDK)
        .setProtocols(List.of("TLSv1.3"))
        .build();
  }
}
