package org.nyala.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.nyala.advice.SystemSettings;
import org.nyala.config.ConfiguredExtension;
import org.nyala.config.NyalaConfig;
import org.nyala.core.access.RulesText;
import org.nyala.core.certificate.CertificateMaker;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.extension.ExtensionSource.NamedCertificate;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.StoreStatus;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.management.AlarmFindings;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.netty.accept.RejectedConnections;
import org.nyala.netty.tls.TlsFileException;
import org.nyala.netty.tls.TlsPort;
import org.nyala.netty.tls.TlsSettings;
import org.nyala.server.ConfigurationCheck;
import org.nyala.server.RunningServer;
import org.nyala.server.StoreIndexes;
import org.nyala.server.StoredRules;
import org.nyala.service.UnfinishedJobs;

/**
 * The examination of a configuration and its data from outside of the server, which may run or not.
 * It changes nothing.
 *
 * <p>Confined to one thread.
 */
public final class Examination {
  private static final String CONFIGURATION = "configuration";
  private static final String CERTIFICATES = "certificates";
  private static final String DESCRIPTORS = "descriptors";
  private static final String CLOCK = "clock";
  private static final String DISK = "disk";
  private static final String STORE = "store";
  private static final String SYSTEM = "system";
  private static final String INDEXES = "indexes";
  private static final String RULES = "access rules";
  private static final String BACKUPS = "backups";

  private static final String CONFIG_CHECK = "nyala config check";
  private static final String TLS_CHECK = "nyala tls check";
  private static final int MEBIBYTE_SHIFT = 20;

  /** The rest of a certificate's validity that is worth a warning, as in a running server. */
  private static final Duration SOON = Duration.ofDays(14);

  private final NyalaConfig configuration;
  private final Question question;
  private final FindingList findings;
  private final SystemSettings system = new SystemSettings();
  private @Nullable BackupExamination backups;

  /**
   * The question of an examination.
   *
   * @param file the configuration file; nothing if there is none
   * @param installation has the schema files
   * @param user the user that asks
   * @param server what the server has answered about itself; nothing if none runs
   * @param backups the folder of backups, or of one; nothing if none is known
   * @param backupDays the age from which the last backup is too old
   * @param seconds the longest time for which entries are read
   * @param now the time of day
   */
  public record Question(
      Optional<Path> file,
      Installation installation,
      String user,
      Optional<List<Finding>> server,
      Optional<Path> backups,
      int backupDays,
      int seconds,
      Instant now) {}

  public Examination(NyalaConfig configuration, Question question, FindingList findings) {
    this.configuration = configuration;
    this.question = question;
    this.findings = findings;
  }

  /** Examines everything, and adds what it finds. */
  public void run() {
    question.server().ifPresent(findings::addAll);
    lookAtConfiguration();
    new FileExamination(configuration, question.file(), question.installation().base(), findings)
        .run();
    lookAtCertificates();
    if (question.server().isEmpty()) {
      lookAtDescriptors();
    }
    lookAtClock();
    backups = backups();
    if (configuration.hasData()) {
      lookAtStore();
    }
    lookAtBackups();
  }

  private void lookAtConfiguration() {
    findings.looked(CONFIGURATION);
    try {
      // Its notes are about what was asked for.
      ConfigurationCheck.run(configuration, question.installation(), _ -> {});
      ConfigurationCheck.surroundings(question.file(), configuration);
    } catch (CommandException e) {
      boolean isOther = e.exitCode() == ExitCode.UNWRITABLE && !isOwner();
      findings.add(
          isOther ? Weight.UNKNOWN : Weight.FAULT,
          CONFIGURATION,
          ErrorMessages.line(e),
          isOther ? "sudo nyala doctor" : CONFIG_CHECK);
    } catch (ConfigurationException | StoreException e) {
      findings.add(Weight.FAULT, CONFIGURATION, ErrorMessages.line(e), CONFIG_CHECK);
    } catch (IOException e) {
      findings.add(Weight.UNKNOWN, CONFIGURATION, ErrorMessages.reason(e), CONFIG_CHECK);
    }
    for (String line : ConfigurationCheck.withoutEffect(configuration)) {
      findings.add(Weight.ADVICE, CONFIGURATION, line, "nyala config show --changed");
    }
    UnfinishedJobs.ofIdle(configuration)
        .ifPresent(line -> findings.add(Weight.ADVICE, STORE, line, ""));
  }

  /** Returns whether the user that asks owns the data, as the one that the server runs as does. */
  private boolean isOwner() {
    try {
      return Files.getOwner(configuration.data()).getName().equals(question.user());
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private void lookAtCertificates() {
    findings.looked(CERTIFICATES);
    for (TlsSettings tls : List.of(configuration.wire().tls(), configuration.management().tls())) {
      try {
        TlsPort.certified(tls).forEach(this::lookAtCertificate);
      } catch (TlsFileException e) {
        findings.add(Weight.FAULT, CERTIFICATES, ErrorMessages.line(e), TLS_CHECK);
      }
    }
    for (ConfiguredExtension each : configuration.extensions()) {
      try {
        each.certificates().forEach(this::lookAtCertificate);
      } catch (ConfigurationException e) {
        findings.add(Weight.FAULT, CERTIFICATES, ErrorMessages.line(e), TLS_CHECK);
      }
    }
  }

  /** Looks at a certificate of an extension: that of an authority serves beyond its end. */
  private void lookAtCertificate(NamedCertificate named) {
    boolean isOwn = !named.host().isEmpty();
    TlsPort.Certified certificate = TlsPort.Certified.of(named.files(), named.certificate());
    lookAtTime(certificate, isOwn ? Weight.FAULT : Weight.WARNING);
    if (isOwn && !certificate.isFor(nameInCertificates(named.host()))) {
      findings.add(
          Weight.FAULT,
          CERTIFICATES,
          which(certificate)
              + " is for "
              + String.join(", ", certificate.names())
              + ", and not for "
              + named.host()
              + ", by which other servers reach this one",
          TLS_CHECK);
    }
  }

  private static String nameInCertificates(String host) {
    try {
      return CertificateMaker.hostName(host);
    } catch (IllegalArgumentException _) {
      return host;
    }
  }

  private static String which(TlsPort.Certified certificate) {
    return certificate.files() + " (" + certificate.subject() + ")";
  }

  private void lookAtTime(TlsPort.Certified certificate, Weight ofInvalid) {
    Instant now = question.now();
    String which = which(certificate);
    if (now.isAfter(certificate.end())) {
      findings.add(
          ofInvalid, CERTIFICATES, which + " has ended on " + certificate.end(), TLS_CHECK);
    } else if (now.isBefore(certificate.begin())) {
      findings.add(
          ofInvalid,
          CERTIFICATES,
          which + " is not valid before " + certificate.begin(),
          TLS_CHECK);
    } else if (!certificate.end().isAfter(now.plus(SOON))) {
      findings.add(
          Weight.WARNING,
          CERTIFICATES,
          which
              + " ends on "
              + certificate.end()
              + ", in "
              + Duration.between(now, certificate.end()).toDays()
              + " days",
          TLS_CHECK);
    }
  }

  private void lookAtCertificate(TlsPort.Certified certificate) {
    lookAtTime(certificate, Weight.FAULT);
    List<String> hosts = hosts();
    if (!hosts.isEmpty() && hosts.stream().noneMatch(certificate::isFor)) {
      findings.add(
          Weight.ADVICE,
          CERTIFICATES,
          which(certificate)
              + " is for "
              + String.join(", ", certificate.names())
              + ", and not for "
              + String.join(", ", hosts)
              + ": clients have to connect to one of its names",
          TLS_CHECK);
    }
  }

  /** Returns the names of this machine, as far as they are known without asking other machines. */
  private List<String> hosts() {
    List<String> hosts =
        new ArrayList<>(
            configuration.wire().listeners().stream()
                .filter(each -> each.local() == null)
                .map(each -> each.host())
                .filter(host -> host.matches(".*[A-Za-z].*") && host.indexOf(':') < 0)
                .distinct()
                .toList());
    try {
      hosts.add(InetAddress.getLocalHost().getHostName());
    } catch (UnknownHostException _) {
      // It has none.
    }
    return hosts;
  }

  /** Looks at the limit of this process: a server that is started here has the same one. */
  private void lookAtDescriptors() {
    findings.looked(DESCRIPTORS);
    long room = new RejectedConnections(new LongAdder()).room();
    String shortage = RunningServer.ConnectionRoom.shortage(room, configuration);
    if (!shortage.isEmpty()) {
      findings.add(
          Weight.WARNING,
          DESCRIPTORS,
          "if the server is started from here, " + shortage,
          "ulimit -n");
    }
  }

  private void lookAtClock() {
    findings.looked(CLOCK);
    system.clock().ifPresent(each -> findings.addAll(List.of(each)));
  }

  private void lookAtStore() {
    try {
      Schema files = configuration.schema(question.installation());
      try (LmdbBackend backend =
          LmdbBackend.open(configuration.data(), files, configuration.store().asReadOnly())) {
        guard(DISK, () -> lookAtDisk(backend.status().space()));
        if (question.server().isEmpty()) {
          guard(SYSTEM, () -> lookAtSystem(backend.status().space()));
          guard(CLOCK, () -> findings.addAll(AlarmFindings.ofNumbers(backend, question.now())));
        }
        guard(INDEXES, () -> lookAtIndexes(backend));
        guard(RULES, () -> lookAtRules(backend));
        EntryExamination entries = new EntryExamination(backend, configuration, findings);
        guard(
            EntryExamination.PASSWORDS,
            () -> entries.run(System::nanoTime, TimeUnit.SECONDS.toNanos(question.seconds())));
      }
    } catch (IOException e) {
      findings.add(Weight.UNKNOWN, STORE, ErrorMessages.reason(e), "sudo nyala doctor");
    } catch (ConfigurationException | CommandException | StoreException e) {
      findings.add(Weight.UNKNOWN, STORE, ErrorMessages.line(e), "nyala verify");
    }
  }

  /**
   * Looks at an area; if that fails, for a mistake of the configuration for one, it is not known.
   */
  private void guard(String area, Runnable look) {
    try {
      look.run();
    } catch (ConfigurationException | CommandException | StoreException e) {
      findings.add(Weight.UNKNOWN, area, ErrorMessages.line(e), CONFIG_CHECK);
    }
  }

  private void lookAtDisk(StoreStatus.Space space) {
    findings.looked(DISK);
    if (question.server().isEmpty()) {
      findings.addAll(AlarmFindings.ofSpace(space, configuration.management().watch()));
      if (backups != null) {
        backups.tellGrowth(space.diskFreeBytes());
      }
    }
    long free = space.diskFreeBytes() >> MEBIBYTE_SHIFT;
    long used = space.usedBytes() >> MEBIBYTE_SHIFT;
    if (space.diskFreeBytes() < 0) {
      findings.add(Weight.UNKNOWN, DISK, "the free space is not known", "df -h");
    } else if (space.diskFreeBytes() < space.usedBytes()) {
      findings.add(
          Weight.ADVICE,
          DISK,
          "the disk of the data has "
              + free
              + " MiB left, and the data file "
              + used
              + " MiB: a compaction, or a backup on the same disk, may take as much",
          "df -h");
    } else {
      findings.add(
          Weight.OK,
          DISK,
          "the data file has " + used + " MiB, and its disk " + free + " MiB left",
          "");
    }
  }

  /** Looks at the memory of this machine; a server that runs has looked itself. */
  private void lookAtSystem(StoreStatus.Space space) {
    findings.addAll(
        system.memory(configuration.data(), space.usedBytes(), configuration.store().readAhead()));
  }

  private void lookAtIndexes(LmdbBackend backend) {
    findings.looked(INDEXES);
    Schema schema = backend.extendedSchema().schema();
    for (IndexDefinition each : StoreIndexes.missing(configuration, schema, backend.indexes())) {
      findings.add(
          Weight.WARNING,
          INDEXES,
          "nyala.indexes asks for " + each + ", and the data is not indexed so",
          "nyala index add " + FileExamination.Shell.quoted(each));
    }
    if (configuration.indexes().isPresent()) {
      List<IndexDefinition> asked = StoreIndexes.configured(configuration, schema);
      for (IndexDefinition each : backend.indexes()) {
        if (asked.stream().noneMatch(other -> other.type().equals(each.type()))) {
          findings.add(
              Weight.ADVICE,
              INDEXES,
              "the data has the index " + each + ", which nyala.indexes does not name",
              "nyala index drop " + FileExamination.Shell.quoted(each));
        }
      }
    }
  }

  private void lookAtRules(LmdbBackend backend) {
    RulesText text = configuration.access().rules();
    if (text == null) {
      return;
    }
    findings.looked(RULES);
    StoredRules.Review review =
        StoredRules.review(text, backend.extendedSchema().schema(), configuration, backend);
    String check =
        configuration
            .accessRules()
            .map(rules -> "nyala access check " + FileExamination.Shell.quoted(rules.path()))
            .orElse("");
    review.findings().forEach(each -> findings.add(Weight.WARNING, RULES, each.toString(), check));
    review.closed().forEach(each -> findings.add(Weight.FAULT, RULES, each.toString(), check));
  }

  private void lookAtBackups() {
    if (question.backups().isEmpty() && !findings.has(BACKUPS)) {
      findings.add(
          Weight.ADVICE,
          BACKUPS,
          "no backup is known: name the folder of backups by --backups",
          "nyala backup DIR");
    }
    if (backups != null) {
      backups.tellAge(question.now(), question.backupDays());
    }
  }

  /** Returns the backups; null if none are known, or their folder cannot be read. */
  private @Nullable BackupExamination backups() {
    if (question.backups().isEmpty()) {
      return null;
    }
    try {
      return new BackupExamination(question.backups().get(), findings);
    } catch (IOException e) {
      findings.add(Weight.UNKNOWN, BACKUPS, ErrorMessages.reason(e), "");
      return null;
    }
  }
}
