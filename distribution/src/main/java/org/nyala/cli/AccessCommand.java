package org.nyala.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ExportFile;
import org.nyala.config.AccessRulesFile;
import org.nyala.config.NyalaConfig;
import org.nyala.config.RootConfiguration;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.RootAccount;
import org.nyala.core.access.RulesText;
import org.nyala.core.access.check.Finding;
import org.nyala.core.access.slapd.ImportedRules;
import org.nyala.core.access.slapd.SlapdImport;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.sasl.SaslMechanism;
import org.nyala.core.schema.Schema;
import org.nyala.core.slapd.InvalidSlapdFileException;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.MonitorTree;
import org.nyala.netty.WireSettings;
import org.nyala.netty.accept.LocalSocket;
import org.nyala.server.StoredRules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code nyala access}. */
@Command(
    name = "access",
    description = {
      "Helps with access rules: makes them from those of slapd, checks a file of them, or explains"
          + " what they let somebody do.",
      "None of that changes anything but the file of -o, and all of it may be run while the server"
          + " runs."
    })
final class AccessCommand extends DataCommand {
  private static final String IMPORT = "import";
  private static final String CHECK = "check";
  private static final String EXPLAIN = "explain";
  private static final List<String> ACTIONS = List.of(IMPORT, CHECK, EXPLAIN);
  private static final List<String> OF_EXPLAIN =
      List.of(
          "--as",
          "--from",
          "--over",
          "--by",
          "--target",
          "--attribute",
          "--value",
          "--rules",
          "--json");

  @Parameters(
      index = "0",
      paramLabel = "ACTION",
      description = {
        "import: reads slapd's configuration and writes its access rules and limits as rules that"
            + " give nobody more. What they do not say is listed on standard error, and the exit"
            + " code is 5.",
        "check: reads a file of rules and lists rules and clauses that are never asked. With --data"
            + " it lists groups and entries, too, that they name and that do not exist, and the"
            + " same of the rules in the directory. Exit code 2 if the file cannot be read as"
            + " rules.",
        "explain: tells what a user may do to an entry, its children and its attributes, and which"
            + " rule and clause decide. The data may be those of a running server."
      })
  private String action = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description =
          "With import: slapd.conf, the output of slapcat -n0, or the folder slapd.d. With check:"
              + " the file of rules. With explain: none.")
  private @Nullable Path file;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "With import: the file to write, which must not exist. Default: standard output.")
  private @Nullable Path output;

  @Option(names = "--replace", description = "With import: write over the file of -o if it exists.")
  private boolean replace;

  @Mixin private ExplainedClient client = new ExplainedClient();

  @Option(
      names = "--target",
      paramLabel = "DN",
      description = "With explain: the entry. Default: the user's own.")
  private @Nullable String target;

  @Option(
      names = "--attribute",
      paramLabel = "NAME",
      description =
          "With explain: the attribute. Default: the entry, its children and all its attributes.")
  private @Nullable String attribute;

  @Option(
      names = "--value",
      paramLabel = "TEXT",
      description = "With explain: the value of the attribute. Default: the attribute as a whole.")
  private @Nullable String value;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description = "With explain: the file of rules. Default: access.rules of the configuration.")
  private @Nullable Path rules;

  @Option(
      names = "--json",
      description = "With explain: print one JSON object; the manual names its members.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    requireSense();
    NyalaConfig configuration = data().configuration();
    Schema schema = configuration.schema(Installation.current());
    if (!action.equals(EXPLAIN) && !data().namesData()) {
      return action.equals(IMPORT) ? importRules(schema) : check(schema, configuration, null);
    }
    configuration.requireData();
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
      Schema extended = backend.extendedSchema().schema();
      return switch (action) {
        case IMPORT -> importRules(extended);
        case CHECK -> check(extended, configuration, backend);
        default -> explain(configuration, backend);
      };
    }
  }

  private void requireSense() {
    if (!ACTIONS.contains(action)) {
      throw wrongUsage("expected import, check or explain, not '" + action + "'");
    }
    if (!action.equals(IMPORT) && (output != null || replace)) {
      throw wrongUsage((replace ? "--replace" : "--output") + ": an option of import");
    }
    if (replace && output == null) {
      throw wrongUsage("--replace: expected --output beside it");
    }
    if (action.equals(EXPLAIN)) {
      requireQuestion();
    } else if (file == null) {
      throw wrongUsage("expected a file behind " + action);
    } else {
      for (String option : OF_EXPLAIN) {
        if (spec().commandLine().getParseResult().hasMatchedOption(option)) {
          throw wrongUsage(option + ": an option of explain");
        }
      }
    }
  }

  private void requireQuestion() {
    if (file != null) {
      throw wrongUsage("explain takes the file of rules as --rules");
    }
    if (client.name() == null) {
      throw wrongUsage(
          "expected --as with the DN of a user, or '' for clients that have not bound");
    }
    if (value != null && attribute == null) {
      throw wrongUsage("--value: expected --attribute beside it");
    }
  }

  private int explain(NyalaConfig configuration, LmdbBackend backend) throws IOException {
    Schema schema = backend.extendedSchema().schema();
    RulesText text = rules == null ? configured(configuration) : read(rules, configuration);
    if (text == null) {
      throw CommandException.usage(
          "the configuration names no access rules (access.rules): name a file with --rules");
    }
    Dn user = dn("--as", client.name(), schema);
    RootAccount root =
        RootConfiguration.of(configuration, schema, backend.namingContexts()).of(user);
    if (root != null && isRootOfTarget(root, schema)) {
      out()
          .println(
              user
                  + (root.suffixes().isEmpty()
                      ? " is the root account: it may do everything, and no rule is asked"
                      : " is the root account of this naming context: no rule is asked"));
      return ExitCode.OK;
    }
    Dn asked = target == null ? user : dn("--target", target, schema);
    AccessQuestion question =
        new AccessQuestion(
            text,
            client.facts(user, configuration, spec()),
            asked,
            attribute == null ? null : attribute(attribute, schema),
            value);
    BoundIdentity identity = root == null ? new BoundIdentity(user, false) : root.identity();
    Dn monitor = dn("", MonitorTree.TOP, schema);
    boolean isOfMonitor = asked.isWithin(monitor) && !identity.readsMonitor();
    AccessReport report =
        new AccessReport(
            AccessExplanation.of(question, isOfMonitor ? monitor : null, backend, configuration));
    print(json, report::json, report::lines);
    return ExitCode.OK;
  }

  private boolean isRootOfTarget(RootAccount root, Schema schema) {
    Dn name = target == null ? root.dn() : dn("--target", target, schema);
    return root.suffixes().isEmpty() || root.suffixes().stream().anyMatch(name::isWithin);
  }

  /** Reads a file of rules that would be in force instead of that of the configuration. */
  private static RulesText read(Path path, NyalaConfig configuration) throws IOException {
    int delegated =
        configuration
            .accessRules()
            .map(file -> file.text().delegatedRules())
            .orElse(RulesText.DELEGATED_RULES);
    return AccessRulesFile.read(path).delegating(delegated);
  }

  private static @Nullable RulesText configured(NyalaConfig configuration) {
    configuration.accessRules().ifPresent(AccessRulesFile::requireText);
    return configuration.access().rules();
  }

  private Dn dn(String option, @Nullable String text, Schema schema) {
    try {
      return DnParser.parse(schema, text == null ? "" : text);
    } catch (InvalidDnException e) {
      throw wrongUsage(option + ": '" + text + "' is no DN: " + ErrorMessages.line(e));
    }
  }

  private AttributeDescription attribute(String name, Schema schema) {
    AttributeDescription found = AttributeDescription.parse(schema, name);
    if (found == null) {
      throw wrongUsage("--attribute: the schema has no attribute '" + name + "'");
    }
    return found;
  }

  private int importRules(Schema schema) throws IOException {
    if (output != null && !replace && Files.isRegularFile(output)) {
      throw CommandException.failed(output + " already exists; --replace writes over it");
    }
    ImportedRules imported;
    try {
      imported = SlapdImport.read(given(), schema);
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

  private int check(Schema schema, NyalaConfig configuration, @Nullable LmdbBackend backend)
      throws IOException {
    RulesText text = read(given(), configuration);
    StoredRules.Review review = StoredRules.review(text, schema, configuration, backend);
    List<Finding> findings = new ArrayList<>(review.findings());
    findings.addAll(review.closed());
    findings.forEach(out()::println);
    out()
        .printf(
            Locale.ROOT,
            "the rules can be read: %d rules, %d limits, %d remarks%n",
            review.parsed().steps().size(),
            review.parsed().limits().size(),
            findings.size());
    return ExitCode.OK;
  }

  private Path given() {
    return file == null ? Path.of("") : file;
  }

  /**
   * The options of {@code nyala access explain} that describe the client.
   *
   * <p>Confined to the thread that executes the command.
   */
  static final class ExplainedClient {
    private static final String LOCAL = "ldapi";
    private static final String SIMPLE = "simple";

    /** The most bits that connections have, as in {@code security.minimumStrength}. */
    private static final int MOST_BITS = 256;

    @Option(
        names = "--as",
        paramLabel = "DN",
        description = "With explain: the user; '' for a client that has not bound.")
    private @Nullable String name;

    @Option(
        names = "--from",
        paramLabel = "ADDRESS",
        description =
            "With explain: the address that the client connects from, or ldapi for the local socket."
                + " Default: 127.0.0.1.")
    private String from = "127.0.0.1";

    @Option(
        names = "--over",
        paramLabel = "BITS",
        description =
            "With explain: the strength of TLS, or what the local socket counts for. Default: 0, or"
                + " ldapi.strengthBits.")
    private @Nullable Integer over;

    @Option(
        names = "--by",
        paramLabel = "MECHANISM",
        description = "With explain: simple, or the mechanism of SASL. Default: simple.")
    private String mechanism = SIMPLE;

    /** Returns the name of the user as it was given; null if none was. */
    @Nullable String name() {
      return name;
    }

    /**
     * Returns the facts that rules ask for.
     *
     * @param user the name of the user; the empty one for a client that has not bound
     * @throws ParameterException if an option makes no sense
     */
    ClientFacts facts(Dn user, NyalaConfig configuration, CommandSpec command) {
      boolean isLocal = from.equals(LOCAL);
      int bits = bits(isLocal, configuration, command);
      return new ClientFacts(
          user,
          isLocal ? null : address(command),
          isLocal ? 0 : bits,
          0,
          isLocal ? bits : 0,
          user.rdnCount() == 0 ? "" : mechanism(command));
    }

    private int bits(boolean isLocal, NyalaConfig configuration, CommandSpec command) {
      Integer given = over;
      if (given == null) {
        return isLocal ? localBits(configuration) : 0;
      }
      if (given < 0 || given > MOST_BITS) {
        throw wrong(command, "--over: expected a number of bits from 0 to " + MOST_BITS);
      }
      return given;
    }

    private static int localBits(NyalaConfig configuration) {
      for (WireSettings.Listener listener : configuration.wire().listeners()) {
        LocalSocket local = listener.local();
        if (local != null) {
          return local.strengthBits();
        }
      }
      return LocalSocket.STRENGTH_BITS;
    }

    private InetAddress address(CommandSpec command) {
      try {
        return InetAddress.ofLiteral(from);
      } catch (IllegalArgumentException e) {
        throw wrong(
            command, "--from: expected an address such as 192.0.2.1, or ldapi, not '" + from + "'");
      }
    }

    private String mechanism(CommandSpec command) {
      if (mechanism.equalsIgnoreCase(SIMPLE)) {
        return SIMPLE;
      }
      SaslMechanism known = SaslMechanism.of(mechanism);
      if (known == null) {
        throw wrong(
            command,
            "--by: expected simple or a mechanism such as EXTERNAL, not '" + mechanism + "'");
      }
      return known.label();
    }

    private static ParameterException wrong(CommandSpec command, String mistake) {
      return new ParameterException(command.commandLine(), mistake);
    }
  }
}
