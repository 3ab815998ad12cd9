package org.nyala.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.typesafe.config.ConfigUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.ListenAddress;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.netty.tls.CertificateText;
import org.nyala.netty.tls.SelfSigned;
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
            + " and management.tls as the server does, and describes them.",
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
    if (ofLdap.certificates().isEmpty() && ofManagement.certificates().isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "the configuration names no certificate (nyala.tls.certificate)");
    }
    if (!ofLdap.certificates().isEmpty()) {
      check("nyala.tls", ofLdap);
    }
    if (!ofManagement.certificates().isEmpty()
        && !ofManagement.certificates().equals(ofLdap.certificates())) {
      check("nyala.management.tls", ofManagement);
    }
  }

  private void check(String section, TlsSettings settings) {
    try {
      CertificateText.of(settings, Instant.now()).forEach(out()::println);
    } catch (TlsFileException e) {
      throw new CommandException(ExitCode.USAGE, section + ": " + ErrorMessages.line(e));
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
      throw new CommandException(
          ExitCode.USAGE, "clients use no TLS on " + address.url() + ": name another address");
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
      hosts = names.stream().map(SelfSigned::hostName).toList();
    } catch (IllegalArgumentException e) {
      throw wrongUsage("--name: " + ErrorMessages.line(e));
    }
    Path certificate = Path.of(target);
    Path key = Path.of(target.substring(0, target.length() - PEM.length()) + ".key");
    SelfSigned.Pem made = SelfSigned.make(hosts, days, Instant.now(), new SecureRandom());
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
}
