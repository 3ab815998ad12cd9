package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ExportFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.access.check.Finding;
import org.nyala.core.access.check.NamedEntries;
import org.nyala.core.access.check.RulesCheck;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.InvalidRulesException;
import org.nyala.core.access.rule.RulesParser;
import org.nyala.core.access.slapd.ImportedRules;
import org.nyala.core.access.slapd.InvalidSlapdFileException;
import org.nyala.core.access.slapd.SlapdImport;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala access}. */
@Command(
    name = "access",
    description = {
      "Helps with access rules: makes them from those of slapd, or checks a file of them.",
      "Neither changes anything but the file of -o, and both may be run while the server runs."
    })
final class AccessCommand extends DataCommand {
  private static final String IMPORT = "import";
  private static final String CHECK = "check";

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = {
        "import: reads slapd's configuration and writes its access rules and limits as rules that"
            + " give nobody more. What they do not say is listed on standard error, and the exit"
            + " code is 5.",
        "check: reads a file of rules and lists rules and clauses that are never asked; with"
            + " --data also groups and entries that they name and that do not exist. Exit code 2 if"
            + " the file cannot be read as rules."
      })
  private String action = "";

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description =
          "With import: slapd.conf, the output of slapcat -n0, or the folder slapd.d. With check:"
              + " the file of rules.")
  private Path file = Path.of("");

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "With import: the file to write; it replaces an existing one. Default: standard output.")
  private @Nullable Path output;

  @Override
  public Integer call() throws IOException {
    boolean isImport = action.equals(IMPORT);
    if (!isImport && !action.equals(CHECK)) {
      throw wrongUsage("expected import or check, not '" + action + "'");
    }
    if (!isImport && output != null) {
      throw wrongUsage("--output: an option of import");
    }
    NyalaConfig configuration = data().configuration();
    Schema schema = configuration.schema(Installation.current());
    if (!data().namesData()) {
      return isImport ? importRules(schema) : check(schema, null);
    }
    configuration.requireData();
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
      Schema extended = backend.extendedSchema().schema();
      return isImport ? importRules(extended) : check(extended, backend);
    }
  }

  private int importRules(Schema schema) throws IOException {
    ImportedRules imported;
    try {
      imported = SlapdImport.read(file, schema);
    } catch (InvalidSlapdFileException e) {
      throw CommandException.failed(ErrorMessages.line(e));
    }
    if (output == null) {
      out().print(imported.text());
      out().flush();
    } else {
      try (ExportFile target = ExportFile.open(output)) {
        target.stream().write(imported.text().getBytes(UTF_8));
        target.commit();
      }
    }
    imported.unsaid().forEach(err()::println);
    return imported.unsaid().isEmpty() ? ExitCode.OK : ExitCode.REJECTED;
  }

  private int check(Schema schema, @Nullable LmdbBackend backend) throws IOException {
    AccessRules rules;
    try {
      String name = String.valueOf(file.getFileName());
      rules = RulesParser.parse(name, read(file), schema);
    } catch (InvalidRulesException e) {
      throw new CommandException(ExitCode.USAGE, ErrorMessages.line(e));
    }
    List<Finding> findings = new ArrayList<>(RulesCheck.unreached(rules));
    if (backend != null) {
      findings.addAll(missing(rules, backend));
    }
    findings.forEach(out()::println);
    out()
        .printf(
            Locale.ROOT,
            "the rules can be read: %d rules, %d limits, %d remarks%n",
            rules.steps().size(),
            rules.limits().size(),
            findings.size());
    return ExitCode.OK;
  }

  /* One byte more than a file of rules may have is enough for the parser to refuse it. */
  private static byte[] read(Path file) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      return stream.readNBytes(RulesParser.MAXIMUM_BYTES + 1);
    }
  }

  /* Users may come from elsewhere: only names below the suffixes can be missing. */
  private static List<Finding> missing(AccessRules rules, LmdbBackend backend) {
    List<Dn> suffixes = backend.namingContexts();
    try (ReadTransaction read = backend.beginRead()) {
      return NamedEntries.missing(
          rules,
          name ->
              suffixes.stream().anyMatch(suffix -> suffix.rdnCount() > 0 && name.isWithin(suffix))
                  && read.find(name) == ReadTransaction.NO_ENTRY);
    }
  }
}
