package org.nyala.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.typesafe.config.ConfigUtil;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.certificate.CertificateMaker;
import org.nyala.core.operation.extended.StartTlsOperation;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.extension.ExtensionSource.NamedCertificate;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.tls.CertificateText;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala tls}. */
@Command(
    name = "tls",
    description = {
      "Helps with certificates: checks those of the configuration, shows what a server serves, or"
          + " makes one for a first try.",
      "check and show change nothing, and may be run while the server runs."
    })
final class TlsCommand extends DataCommand {
  private static final int YEARS_OF_DAYS = 3650;
  private static final String PEM = ".pem";

  enum Action {
    check,
    show,
    make
  }

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = {
        "check: reads the files of tls.certificate, tls.certificates, tls.clientCa, tls.clientCrl"
            + " and management.tls, and those of extensions, as the server does, and describes"
            + " them.",
        "show: connects to TARGET, ldap://HOST:PORT (with StartTLS) or ldaps://HOST:PORT, by"
            + " default the first listener, and describes what is served. Trusts everything.",
        "make: writes a self-signed certificate to the file TARGET, which ends in .pem, and its key"
            + " beside it. Neither must exist."
      })
  private Action action = Action.check;

  @Parameters(index = "1", arity = "0..1", paramLabel = "TARGET", description = "See above.")
  private @Nullable String target;

  @Option(
      names = "--name",
      paramLabel = "HOST",
      description =
          "With make: a host name or address that clients connect to. May be given several times.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--days",
      paramLabel = "N",
      description = "With make: the days for which it is valid. Default: ${DEFAULT-VALUE}.")
  private int days = 90;

  @Override
  public Integer call() throws IOException {
    boolean isMake = action == Action.make;
    if (isMake == names.isEmpty()) {
      throw wrongUsage("--name: " + (isMake ? "needed with make" : "an option of make"));
    }
    requireRange(spec(), "--days", days, 1, YEARS_OF_DAYS);
    switch (action) {
      case check -> check(data().configuration());
      case show -> show();
      case make -> make();
    }
    return ExitCode.OK;
  }

  private void check(NyalaConfig configuration) {
    TlsSettings ofLdap = configuration.wire().tls();
    TlsSettings ofManagement = configuration.management().tls();
    List<NamedCertificate> others =
        configuration.extensions().stream().flatMap(each -> each.certificates().stream()).toList();
    if (others.isEmpty()
        && ofLdap.certificates().isEmpty()
        && ofManagement.certificates().isEmpty()) {
      throw CommandException.usage(
          "the configuration names no certificate (nyala.tls.certificate)");
    }
    if (!ofLdap.certificates().isEmpty()) {
      check("nyala.tls", ofLdap);
    }
    if (!ofManagement.certificates().isEmpty()
        && !ofManagement.certificates().equals(ofLdap.certificates())) {
      check("nyala.management.tls", ofManagement);
    }
    for (NamedCertificate each : others) {
      out().println(each.files());
      CertificateText.of(List.of(each.certificate()), Instant.now()).forEach(out()::println);
    }
  }

  private void check(String section, TlsSettings settings) {
    try {
      CertificateText.of(settings, Instant.now()).forEach(out()::println);
    } catch (TlsFileException e) {
      throw CommandException.usage(section + ": " + ErrorMessages.line(e));
    }
  }

  private void show() throws IOException {
    ListenAddress address;
    try {
      address = target == null ? listener(data().configuration()) : ListenAddress.parse(target);
    } catch (IllegalArgumentException e) {
      throw wrongUsage(ErrorMessages.line(e));
    }
    if (address.isLocal() || address.isProxied()) {
      throw CommandException.usage(
          "clients use no TLS on " + address.url() + ": name another address");
    }
    out().println(address.url());
    TlsProbe.describe(address, Instant.now()).forEach(out()::println);
  }

  /** Returns the first encrypted listener, else the first. */
  private static ListenAddress listener(NyalaConfig configuration) {
    List<WireSettings.Listener> all = configuration.wire().listeners();
    WireSettings.Listener chosen =
        all.stream()
            .filter(each -> each.isTls() && each.proxies() == null)
            .findFirst()
            .orElse(all.getFirst());
    LocalSocket local = chosen.local();
    return new ListenAddress(
        chosen.host(),
        chosen.port(),
        chosen.isTls(),
        local == null ? "" : local.path().toString(),
        chosen.proxies() != null);
  }

  private void make() throws IOException {
    if (target == null || !target.endsWith(PEM)) {
      throw wrongUsage("make: expected the name of a file that ends in " + PEM);
    }
    List<String> hosts;
    try {
      hosts = names.stream().map(CertificateMaker::hostName).toList();
    } catch (IllegalArgumentException e) {
      throw wrongUsage("--name: " + ErrorMessages.line(e));
    }
    Path certificate = Path.of(target);
    Path key = Path.of(target.substring(0, target.length() - PEM.length()) + ".key");
    CertificateMaker.Pem made =
        CertificateMaker.selfSigned(hosts, days, Instant.now(), new SecureRandom());
    create(key, made.key(), "rw-------");
    create(certificate, made.certificate(), "rw-r--r--");
    out()
        .println(
            "# Clients that are given the certificate trust it. The key is for the server alone.");
    out().println("nyala.tls.certificate = " + quoted(certificate));
    out().println("nyala.tls.key = " + quoted(key));
  }

  private static String quoted(Path file) {
    return ConfigUtil.quoteString(file.toAbsolutePath().toString());
  }

  /** Writes a file that must not exist; it does not if that fails. */
  private static void create(Path file, String content, String permissions) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)))) {
      ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(US_ASCII));
      try {
        while (bytes.hasRemaining()) {
          int _ = out.write(bytes);
        }
      } catch (IOException e) {
        Files.delete(file);
        throw e;
      }
    } catch (FileAlreadyExistsException e) {
      throw new CommandException(ExitCode.FAILED, file + " is there already, and was not changed");
    }
  }

  /**
   * A look at the certificate that a server serves, trusted or not: nothing is sent to it but the
   * request for encryption.
   *
   * <p>Stateless.
   */
  static final class TlsProbe {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int EXTENDED_REQUEST = 0x77;
    private static final int EXTENDED_RESPONSE = 0x78;
    private static final int REQUEST_NAME = 0x80;
    private static final int SEQUENCE = 0x30;
    private static final int SHORT_LENGTH = 0x7f;
    private static final int MOST_BYTES = 64 << 10;

    private TlsProbe() {}

    /** Connects, and describes protocol, cipher and certificate. */
    static List<String> describe(ListenAddress address, Instant now) throws IOException {
      try (Socket plain = new Socket()) {
        plain.connect(new InetSocketAddress(address.host(), address.port()), TIMEOUT_MILLIS);
        plain.setSoTimeout(TIMEOUT_MILLIS);
        if (!address.isTls()) {
          startTls(plain);
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anything()}, null);
        SSLSocket encrypted =
            (SSLSocket)
                context
                    .getSocketFactory()
                    .createSocket(plain, address.host(), address.port(), true);
        encrypted.startHandshake();
        return describe(encrypted.getSession(), now);
      } catch (GeneralSecurityException e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    private static List<String> describe(SSLSession session, Instant now) throws IOException {
      List<X509Certificate> chain = new ArrayList<>();
      for (Certificate certificate : session.getPeerCertificates()) {
        chain.add((X509Certificate) certificate);
      }
      List<String> lines = new ArrayList<>();
      lines.add("  " + session.getProtocol() + ", " + session.getCipherSuite());
      lines.addAll(CertificateText.of(chain, now));
      return lines;
    }

    private static void startTls(Socket socket) throws IOException {
      BerWriter request =
          new BerWriter()
              .constructed(
                  EXTENDED_REQUEST, new BerWriter().text(REQUEST_NAME, StartTlsOperation.OID));
      socket
          .getOutputStream()
          .write(
              new BerWriter()
                  .sequence(new BerWriter().integer(1).raw(request.toByteArray()))
                  .toByteArray());
      try {
        BerReader response =
            BerReader.trusted(content(new DataInputStream(socket.getInputStream())));
        int _ = response.integer();
        BerReader result = response.content(EXTENDED_RESPONSE);
        int code = result.enumerated();
        if (code != 0) {
          byte[] _ = result.octets();
          throw new CommandException(
              ExitCode.FAILED,
              "the server does not encrypt ("
                  + code
                  + "): "
                  + CertificateText.printable(result.text()));
        }
      } catch (InvalidBerException e) {
        throw new IOException("no answer to the request for encryption", e);
      }
    }

    /** Reads the content of a message, with its length in any form (X.690, section 8.1.3). */
    private static byte[] content(DataInputStream in) throws IOException {
      if (in.readUnsignedByte() != SEQUENCE) {
        throw new IOException("no LDAP message");
      }
      int length = in.readUnsignedByte();
      if (length > SHORT_LENGTH) {
        int octets = length & SHORT_LENGTH;
        length = 0;
        for (int i = 0; i < octets && length <= MOST_BYTES; i++) {
          length = length << Byte.SIZE | in.readUnsignedByte();
        }
      }
      if (length > MOST_BYTES) {
        throw new IOException("the answer to the request for encryption is too long");
      }
      byte[] content = new byte[length];
      in.readFully(content);
      return content;
    }

    /**
     * Trusts every certificate, because it is only shown. Extended, so that the JDK adds no checks.
     */
    private static final class Anything extends X509ExtendedTrustManager {
      @Override
      public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {
        // It is shown, not used.
      }

      @Override
      public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
        // It is shown, not used.
      }

      @Override
      public void checkClientTrusted(X509Certificate[] chain, String kind) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void checkServerTrusted(X509Certificate[] chain, String kind) {
        // It is shown, not used.
      }

      @Override
      public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
      }
    }
  }
}
