package org.nyala.core;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Certificates made for one test, by the JDK's own tool. */
public final class TestCertificates {
  /** The password of the PKCS#12 files. */
  public static final String PASSWORD = "certificate-secret";

  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {10});

  private TestCertificates() {}

  /** A certificate and its key. */
  public record Pair(Path pkcs12, X509Certificate certificate, PrivateKey key) {
    /** Writes the certificate and the key as PKCS#8 into a file; returns it. */
    public Path pem(Path file) throws IOException, GeneralSecurityException {
      return Files.writeString(
          file,
          pemOf("CERTIFICATE", certificate.getEncoded()) + pemOf("PRIVATE KEY", key.getEncoded()));
    }
  }

  /**
   * Makes a self-signed certificate.
   *
   * @param keyOptions of keytool, such as {@code -keyalg EC -groupname secp256r1}
   * @param hostName the name that it is for, besides 127.0.0.1
   */
  public static Pair make(Path folder, String hostName, String keyOptions)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path file = Files.createTempFile(folder, "certificate", ".p12");
    Files.delete(file);
    List<String> command =
        List.of(
            ("%s/bin/keytool -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -genkeypair -storetype PKCS12 -keystore %s -storepass %s -alias server"
                    + " -dname CN=%s %s -ext SAN=dns:%s,ip:127.0.0.1 %s")
                .formatted(
                    System.getProperty("java.home"),
                    file,
                    PASSWORD,
                    hostName,
                    keyOptions.contains("-validity") ? "" : "-validity 30",
                    hostName,
                    keyOptions)
                .split(" +"));
    Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(tool.getInputStream().readAllBytes(), US_ASCII);
    if (!tool.waitFor(1, TimeUnit.MINUTES) || tool.exitValue() != 0) {
      throw new IOException("keytool: " + out);
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return new Pair(
        file,
        (X509Certificate) store.getCertificate("server"),
        (PrivateKey) store.getKey("server", PASSWORD.toCharArray()));
  }

  /** Returns a block of PEM. */
  public static String pemOf(String label, byte[] content) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(label, LINES.encodeToString(content), label);
  }
}
