package org.nyala.doctor;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.nyala.config.NyalaConfig;
import org.nyala.core.password.PasswordHash;
import org.nyala.error.ErrorMessages;
import org.nyala.error.Setting;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.service.OpenFolders;

/**
 * The examination of the permissions and owners of files.
 *
 * <p>Confined to one thread.
 */
final class FileExamination {
  private static final String AREA = "permissions";
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);
  private static final List<String> SECRET_FILES = List.of("passwordFile", "keytab", "tlsKey");

  /** The most files of the data directory whose owners are compared. */
  private static final int MOST_FILES = 1000;

  private final NyalaConfig configuration;
  private final Optional<Path> file;
  private final Path base;
  private final FindingList findings;

  /**
   * Prepares it.
   *
   * @param file the configuration file; nothing if there is none
   * @param base the folder that names of files in the configuration are relative to
   */
  FileExamination(NyalaConfig configuration, Optional<Path> file, Path base, FindingList findings) {
    this.configuration = configuration;
    this.file = file;
    this.base = base;
    this.findings = findings;
  }

  void run() {
    findings.looked(AREA);
    for (OpenFolders.Problem problem : OpenFolders.problems(configuration)) {
      findings.add(
          Weight.WARNING, AREA, problem.sentence(), problem.command() + problem.condition());
    }
    for (Path secret : secrets()) {
      if (isOpen(secret)) {
        findings.add(
            Weight.WARNING,
            AREA,
            secret + " (" + mode(secret) + ") has a secret, and is open to every user",
            "chmod o= " + Shell.quoted(secret));
      }
    }
    lookAtConfiguration();
    lookAtOwners();
  }

  private Set<Path> secrets() {
    Set<Path> secrets = new LinkedHashSet<>();
    for (TlsSettings tls : List.of(configuration.wire().tls(), configuration.management().tls())) {
      for (TlsSettings.Files each : tls.certificates()) {
        Path key = each.key();
        secrets.add(key == null ? each.certificate() : key);
      }
    }
    configuration
        .settings()
        .all()
        .forEach(
            (key, setting) -> {
              if (SECRET_FILES.contains(key.substring(key.lastIndexOf('.') + 1))) {
                text(setting).ifPresent(name -> secrets.add(base.resolve(name)));
              }
            });
    return secrets;
  }

  private static Optional<String> text(Setting setting) {
    if (setting.value().equals("null") || !setting.value().startsWith("\"")) {
      return Optional.empty();
    }
    return Optional.of(ConfigFactory.parseString("text = " + setting.value()).getString("text"));
  }

  /** Looks at a file that has passwords: root's may be a hash, which can be guessed at. */
  private void lookAtConfiguration() {
    if (file.isEmpty() || !isOpen(file.get())) {
      return;
    }
    Path open = file.get();
    boolean hasHidden =
        configuration.settings().all().entrySet().stream()
            .anyMatch(each -> isSecretOf(open, each) && !each.getKey().startsWith("nyala.root"));
    List<NyalaConfig.Root> roots =
        Stream.concat(configuration.root().stream(), configuration.rootAccounts().stream())
            .toList();
    boolean isClear =
        roots.stream().anyMatch(root -> PasswordHash.parse(bytes(root)).isClearText());
    if (hasHidden || isClear) {
      findings.add(
          Weight.WARNING,
          AREA,
          open + " (" + mode(open) + ") has a password, and is open to every user",
          "chmod o= " + Shell.quoted(open));
    } else if (!roots.isEmpty()) {
      findings.add(
          Weight.ADVICE,
          AREA,
          open + " (" + mode(open) + ") has the hash of a password, and is open to every user",
          "chmod o= " + Shell.quoted(open));
    }
  }

  private static byte[] bytes(NyalaConfig.Root root) {
    return root.password().getBytes(UTF_8);
  }

  private static boolean isSecretOf(Path file, Map.Entry<String, Setting> entry) {
    return entry.getValue().isHidden()
        && entry.getValue().origin().contains(String.valueOf(file.getFileName()));
  }

  /** Compares the owners of files with that of their folder: an import by root leaves such. */
  private void lookAtOwners() {
    Path data = configuration.data();
    if (!Files.isDirectory(data)) {
      return;
    }
    try (Stream<Path> files = Files.list(data)) {
      String owner = Files.getOwner(data).getName();
      for (Path each : files.limit(MOST_FILES).sorted().toList()) {
        String other = Files.getOwner(each).getName();
        if (!other.equals(owner)) {
          findings.add(
              Weight.WARNING,
              AREA,
              each + " belongs to " + other + ", and its folder to " + owner,
              "chown " + Shell.quoted(owner) + ' ' + Shell.quoted(each));
        }
      }
    } catch (IOException | UnsupportedOperationException e) {
      findings.add(Weight.UNKNOWN, AREA, data + " cannot be listed: " + ErrorMessages.line(e), "");
    }
  }

  private static boolean isOpen(Path file) {
    try {
      return Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains);
    } catch (IOException | UnsupportedOperationException e) {
      // One that is missing is a mistake of the configuration.
      return false;
    }
  }

  private static String mode(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException | UnsupportedOperationException e) {
      return "?";
    }
  }

  /** Words of a command for the shell. Stateless. */
  static final class Shell {
    private Shell() {}

    static String quoted(Object word) {
      String text = word.toString();
      return text.matches("[A-Za-z0-9_./:@%+=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
  }
}
