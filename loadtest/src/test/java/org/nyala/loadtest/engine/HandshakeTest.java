package org.nyala.loadtest.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.certificate.CertificateMaker;
import org.nyala.core.dispatch.DispatchStrategies;
import org.nyala.loadtest.jmh.BenchmarkServer;
import org.nyala.loadtest.jmh.StrategyChoice;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.netty.WireSettings;
import org.nyala.netty.tls.ClientCertificates;
import org.nyala.netty.tls.TlsSettings;

/** Handshakes of TLS, full and resumed, with servers of three kinds. */
class HandshakeTest {
  private static final Path SLAPD = Path.of("/usr/sbin/slapd");
  private static final int CLIENTS = 3;
  private static final int EACH = 20;

  @TempDir static Path folder;
  private static Path certificate;
  private static Path key;

  private final LoadTester tester = new LoadTester();

  @BeforeAll
  static void makeCertificate() throws Exception {
    CertificateMaker.Pem pem =
        CertificateMaker.selfSigned(
            List.of("localhost", "127.0.0.1"), 2, Instant.now(), new SecureRandom());
    certificate = Files.writeString(folder.resolve("certificate.pem"), pem.certificate());
    key = Files.writeString(folder.resolve("key.pem"), pem.key());
  }

  private int run(int port, boolean startsTls, String... more) {
    String url = (startsTls ? "ldap://127.0.0.1:" : "ldaps://127.0.0.1:") + port;
    List<String> always =
        List.of(
            "tls-handshake",
            "--url=" + url,
            "--trust-all",
            "--connections=" + CLIENTS,
            "--operations=" + EACH,
            "--seconds=60",
            "--warmup-seconds=0");
    Stream<String> encryption = startsTls ? Stream.of("--start-tls") : Stream.of();
    return tester.run(
        Stream.of(always.stream(), encryption, Arrays.stream(more))
            .flatMap(arguments -> arguments)
            .toArray(String[]::new));
  }

  private void shouldCount(int exit, int all, int resumed) {
    assertThat(exit).as(tester.err() + tester.out()).isZero();
    assertThat(tester.out())
        .contains("handshakes of TLS: " + all + ", of which " + resumed + " resumed a session");
  }

  private static BenchmarkServer nyala(TlsSettings.Engine engine) throws Exception {
    WireSettings settings =
        WireSettings.on("127.0.0.1", 0)
            .with(
                draft -> {
                  draft.listeners =
                      List.of(
                          new WireSettings.Listener("127.0.0.1", 0, true),
                          new WireSettings.Listener("127.0.0.1", 0));
                  draft.tls =
                      new TlsSettings(
                          engine,
                          List.of(new TlsSettings.Files(certificate, key, null)),
                          1000,
                          1,
                          ClientCertificates.NONE);
                });
    return BenchmarkServer.start(StrategyChoice.create(DispatchStrategies.DEFAULT, 0), 2, settings);
  }

  @ParameterizedTest
  @EnumSource(names = {"JDK", "BORINGSSL"})
  void shouldMeasureNyala(TlsSettings.Engine engine) throws Exception {
    BenchmarkServer server = nyala(engine);
    try {
      int tls = server.addresses().getFirst().getPort();
      int plain = server.addresses().getLast().getPort();
      int all = CLIENTS * EACH;
      shouldCount(run(tls, false), all, 0);
      shouldCount(run(tls, false, "--resume"), all, all);
      shouldCount(run(plain, true), all, 0);
      shouldCount(run(plain, true, "--resume"), all, all);
    } finally {
      server.stop();
    }
  }

  @Test
  void shouldMeasureSlapd() throws Exception {
    assumeTrue(Files.isExecutable(SLAPD), "slapd is not installed");
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path configuration =
        Files.writeString(
            folder.resolve("slapd.conf"),
            "TLSCertificateFile "
                + certificate
                + "\nTLSCertificateKeyFile "
                + key
                + "\nTLSCACertificateFile "
                + certificate
                + "\nmodulepath /usr/lib/ldap\nmoduleload back_mdb\n");
    Path log = folder.resolve("slapd.log");
    Process slapd =
        new ProcessBuilder(
                SLAPD.toString(),
                "-d",
                "0",
                "-f",
                configuration.toString(),
                "-h",
                "ldaps://127.0.0.1:" + port + "/")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      awaitPort(port, slapd, log);
      int all = CLIENTS * EACH;
      shouldCount(run(port, false), all, 0);
      // Built with GnuTLS, as by Debian, it resumes no session.
      boolean isResumed = run(port, false, "--resume") == ExitCode.OK;
      int resumed = isResumed ? all : 0;
      assertThat(tester.out())
          .contains("handshakes of TLS: " + all + ", of which " + resumed + " resumed a session")
          .satisfies(
              text -> assertThat(text.contains(all + " x wrong answer")).isNotEqualTo(isResumed));
    } finally {
      slapd.destroy();
      assertThat(slapd.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void awaitPort(int port, Process process, Path log) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(socket.isConnected()).isTrue();
        return;
      } catch (IOException e) {
        assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
        assertThat(System.nanoTime() - limit).isNegative();
        boolean _ = process.waitFor(50, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** The bytes of the server show whether its certificate was among them. */
  @ParameterizedTest
  @CsvSource({"TLSv1.3,true", "TLSv1.3,false", "TLSv1.2,true", "TLSv1.2,false"})
  void shouldAgreeWithTheServer(String protocol, boolean resumes) throws Exception {
    SSLContext context = context();
    try (SSLServerSocket listening =
        (SSLServerSocket) context.getServerSocketFactory().createServerSocket(0, 50, loopback())) {
      listening.setEnabledProtocols(new String[] {protocol});
      try (EmptyAnswers server = EmptyAnswers.start(listening);
          CountingProxy proxy = CountingProxy.start(listening.getLocalPort())) {
        int exit = resumes ? run(proxy.port(), false, "--resume") : run(proxy.port(), false);

        int all = CLIENTS * EACH;
        int seeds = resumes ? CLIENTS : 0;
        shouldCount(exit, all, resumes ? all : 0);
        assertThat(server.answered()).isEqualTo(all + seeds);
        List<Integer> bytes = proxy.bytes();
        assertThat(bytes).hasSize(all + seeds);
        int withCertificate =
            resumes ? bytes.subList(0, seeds).stream().min(Integer::compare).orElseThrow() : 0;
        int most = withCertificate - certificateBytes() / 2;
        assertThat(bytes.subList(seeds, all + seeds))
            .allSatisfy(
                count -> {
                  if (resumes) {
                    assertThat(count).isLessThan(most);
                  } else {
                    assertThat(count).isGreaterThan(certificateBytes());
                  }
                });
      }
    }
  }

  /** A server whose sessions are of no use, since it knows none of them. */
  @Test
  void shouldCountNoHandshakeAsResumedThatWasNot() throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 50, loopback());
        EmptyAnswers server = EmptyAnswers.forgetful(listening, HandshakeTest::context)) {
      int exit = run(listening.getLocalPort(), false, "--resume");

      assertThat(exit).isEqualTo(ExitCode.FAILED);
      assertThat(tester.out())
          .contains(
              "of which 0 resumed a session",
              CLIENTS * EACH + " x wrong answer",
              "the server completed a handshake from the beginning");
      assertThat(server.answered()).isEqualTo(CLIENTS * EACH + CLIENTS);
    }
  }

  @Test
  void shouldRefuseWhatHasNoHandshake() {
    assertThat(tester.run("tls-handshake", "--url=ldap://127.0.0.1:1")).isEqualTo(ExitCode.USAGE);
    assertThat(tester.run("search", "--users=1", "--url=ldap://127.0.0.1:1", "--resume"))
        .isEqualTo(ExitCode.USAGE);
    assertThat(tester.err())
        .contains(
            "the job tls-handshake needs ldaps:// or --start-tls",
            "--resume does not go with the job search");
  }

  private static InetAddress loopback() {
    return InetAddress.getLoopbackAddress();
  }

  private static int certificateBytes() throws Exception {
    return own().getEncoded().length;
  }

  private static X509Certificate own() throws Exception {
    try (InputStream in = Files.newInputStream(certificate)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  private static SSLContext context() throws Exception {
    String pem = Files.readString(key).replaceAll("-----[A-Z ]+-----|\\s", "");
    PrivateKey secret =
        KeyFactory.getInstance("EC")
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("server", secret, new char[0], new X509Certificate[] {own()});
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
