package org.nyala.replica;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.netty.tls.TlsSettings;

/**
 * The way to another server: its address, the encryption, the identity, and how long to wait.
 *
 * <p>Immutable.
 *
 * @param url its address
 * @param encryption the encryption of connections
 * @param login the identity
 * @param connectMillis the time for a connection, in milliseconds
 * @param answerMillis the time for an answer that takes no work, in milliseconds
 * @param messageBytes the maximum size of a message from it; 0 for {@link #largestMessage}
 */
public record ProviderAccess(
    ProviderUrl url,
    Encryption encryption,
    ProviderLogin login,
    @Key(name = "connectTimeoutSeconds", usual = 10, from = 1, to = 3600, unit = 1000)
        int connectMillis,
    @Key(name = "answerTimeoutSeconds", usual = 30, from = 1, to = 3600, unit = 1000)
        int answerMillis,
    @Key(name = "maximumMessageMebibytes", zero = "auto", from = 1, to = 2047, unit = 1 << 20)
        int messageBytes) {
  /** The part of the heap that a message may take: it is there up to four times, beside others. */
  private static final int HEAP_PART = 16;

  /**
   * The encryption of connections.
   *
   * @param startTls true if connections are encrypted by StartTLS
   * @param isRequired true unless clear text may leave this machine
   * @param trust PEM with the certificates of the authorities that vouch for the server; null for
   *     those that the Java runtime trusts
   * @param verifiesHost true if its certificate has to be for the host of the address
   * @param certificate the certificate of this server as a client; null for none
   */
  public record Encryption(
      boolean startTls,
      boolean isRequired,
      @Nullable Path trust,
      boolean verifiesHost,
      TlsSettings.@Nullable Files certificate) {}

  /** Returns the same way to another server. */
  ProviderAccess with(ProviderUrl other) {
    return new ProviderAccess(other, encryption, login, connectMillis, answerMillis, messageBytes);
  }

  /** Returns whether connections are encrypted. */
  public boolean isEncrypted() {
    return url.isTls() || encryption.startTls();
  }

  /** Returns whether what is read, password hashes too, would leave this machine in clear text. */
  public boolean isExposed() {
    return encryption.isRequired() && !isEncrypted() && !url.isLoopback();
  }

  /** Returns the largest message for which this process has the memory. */
  public static int largestMessage() {
    return (int) Math.min(Integer.MAX_VALUE - 8, Runtime.getRuntime().maxMemory() / HEAP_PART);
  }

  /** Returns the maximum size of a message from the server. */
  int mostMessageBytes() {
    return messageBytes == 0 ? largestMessage() : messageBytes;
  }
}
