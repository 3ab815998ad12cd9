package org.nyala.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.HashGauge;
import org.nyala.cli.command.LdifFiles;
import org.nyala.cli.command.ProgressLine;
import org.nyala.cli.command.Uniqueness;
import org.nyala.config.NyalaConfig;
import org.nyala.config.Settings;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.error.CommandException;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.error.Setting;
import org.nyala.importcheck.ImportCheck;
import org.nyala.importcheck.ImportReport;
import org.nyala.lmdb.format.DefaultIndexes;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.server.ConfigurationCheck;
import org.nyala.server.LoginRate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala config}. */
@Command(
    name = "config",
    description = {
      "Checks the configuration, or shows the value of every key and its origin.",
      "Neither changes anything, and both may be run while the server runs."
    })
final class ConfigCommand extends DataCommand {
  private static final String INDEXES = "nyala.indexes";

  enum Action {
    check,
    show
  }

  @Mixin private ListenOptions listen = new ListenOptions();

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = {
        "check: lists what was checked and what was not, with exit code 0, if no mistake is found."
            + " Otherwise one line on standard error has the place and the mistake; the exit code"
            + " is 2, or 1 if files or the data cannot be used.",
        "show: one line for each key; the value, and after # its origin. Passwords "
            + "are not shown."
      })
  private Action action = Action.check;

  @Option(
      names = "--changed",
      description = "With show: only keys that differ from their defaults.")
  private boolean changed;

  @Option(
      names = "--for-import",
      paramLabel = "LDIF",
      arity = "1..*",
      description = {
        "With check: try the import of these files in a folder that is deleted afterwards. Reports"
            + " what an import would reject, and what else is wrong with them. This takes the time"
            + " and the space of the import, and leaves the data and its server alone.",
        "Exit code 5 if entries would be rejected, 2 if the configuration has mistakes."
      })
  private List<String> ldif = new ArrayList<>();

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description =
          "With --for-import: the folder for the temporary data. Default: beside the data"
              + " directory.")
  private @Nullable Path directory;

  @Option(
      names = "--suffix",
      paramLabel = "DN",
      description = "With --for-import: a suffix, as with import. May be given several times.")
  private List<String> suffixes = new ArrayList<>();

  @Option(
      names = "--uniqueness",
      paramLabel = "report|reject",
      description = "With --for-import: as with import. Default: report.")
  private @Nullable Uniqueness uniqueness;

  @Option(names = "--json", description = "With --for-import: print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (changed && action == Action.check) {
      throw CommandException.usage("config check: --changed is an option of show");
    }
    if (ldif.isEmpty()
        ? directory != null || !suffixes.isEmpty() || uniqueness != null || json
        : action != Action.check) {
      throw CommandException.usage(
          "config: --for-import is an option of check; the options of an import need it");
    }
    NyalaConfig configuration = listen.applyTo(data().configuration());
    if (!ldif.isEmpty()) {
      return checkImport(configuration);
    }
    if (action == Action.check) {
      check(configuration);
    } else {
      show(configuration);
    }
    return ExitCode.OK;
  }

  private int checkImport(NyalaConfig configuration) throws IOException {
    Schema files = configuration.schema(Installation.current());
    ExtendedSchema definitions = ImportCheck.definitions(configuration, files, err()::println);
    List<String> mistakes = ConfigurationCheck.mistakes(configuration, definitions.schema());
    ProgressLine progress = progress();
    ImportReport report;
    try {
      report =
          new ImportCheck(configuration, files, definitions, progress)
              .in(Optional.ofNullable(directory), "--directory")
              .suffixes(suffixes)
              .refusingDuplicates(uniqueness == Uniqueness.reject)
              .run(ldif.stream().map(LdifFiles::source).toList(), mistakes);
    } catch (ConfigurationException e) {
      mistakes.forEach(err()::println);
      if (mistakes.contains(ErrorMessages.line(e))) {
        return ExitCode.USAGE;
      }
      throw e;
    } finally {
      progress.finish();
    }
    print(json, report::json, report::lines);
    if (!report.isComplete()) {
      return ExitCode.REJECTED;
    }
    return report.isServable() ? ExitCode.OK : ExitCode.USAGE;
  }

  private void check(NyalaConfig configuration) throws IOException {
    boolean withData =
        ConfigurationCheck.run(configuration, Installation.current(), out()::println);
    ConfigurationCheck.surroundings(data().configurationFile(), configuration);
    Map<String, Setting> all = configuration.settings().all();
    long given = all.values().stream().filter(setting -> !setting.isDefault()).count();
    out()
        .printf(
            Locale.ROOT,
            "the configuration is sound: %d keys, %d of them given%s%n",
            all.size(),
            given,
            withData ? "" : "; a start makes an empty directory in " + configuration.data());
    out()
        .println(
            "checked: names and values of keys, schema files, access rules, DNs, attributes and"
                + " filters in them, indexes, certificates and keys, data or suffixes to serve"
                + (withData ? ", naming contexts and indexes of the data" : ""));
    out()
        .println(
            "not checked: ports, folders and permissions of logs, other servers, and the entries of"
                + " the data (nyala verify)");
    ConfigurationCheck.withoutEffect(configuration).forEach(out()::println);
    if (configuration.updates().expectedLoginsPerSecond() > 0) {
      try (HashGauge gauge = HashGauge.start()) {
        LoginRate.shortage(configuration, gauge).ifPresent(out()::println);
      }
    }
  }

  private void show(NyalaConfig configuration) throws IOException {
    configuration.settings().all().forEach(this::show);
    if (configuration.indexes().isEmpty() && !changed) {
      Schema schema = configuration.schema(Installation.current());
      for (IndexDefinition index : DefaultIndexes.of(schema)) {
        String kinds = index.kindsText().replace(",", "\",\"");
        Setting setting = new Setting("[\"" + kinds + "\"]", Setting.DEFAULT, false);
        show(INDEXES + "." + index.type().name(), setting);
      }
    }
  }

  private void show(String key, Setting setting) {
    if (changed && setting.isDefault()) {
      return;
    }
    if (setting.isHidden()) {
      out().println("# " + key + " is not shown  # " + setting.origin());
    } else {
      out().println(Settings.quoted(key) + " = " + setting.value() + "  # " + setting.origin());
    }
  }
}
