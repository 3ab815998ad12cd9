package org.nyala.cli.running;

import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.config.NyalaConfig;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.explain.SearchExplanation;
import org.nyala.management.bean.AdviceMXBean.Shape;
import org.nyala.management.bean.ExplainMXBean;
import org.nyala.management.bean.LocalManagement;
import org.nyala.server.ExplainService;
import org.nyala.server.ExplanationReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code nyala explain}. */
@Command(
    name = "explain",
    description = {
      "Executes a search without printing its entries, and explains it: which index "
          + "answers which part of the filter, how many entries are read and match, where "
          + "the time goes, and which index would help.",
      "Exit code 1 if the schema has no attribute of a name in the filter.",
      "If a server runs on the data directory, the search runs in the server, beside "
          + "the requests of clients.",
      "Must be run as the server's user, or with --jmx as the user of management.jmxAdmin."
    })
public final class ExplainCommand extends DataCommand {
  private static final int DEFAULT_SECONDS = 10;

  @Parameters(
      paramLabel = "FILTER",
      arity = "0..1",
      description = "The filter, in quotes for the shell: '(&(objectClass=person)(sn=Smith))'.")
  private String filter = "";

  @Option(
      names = "--shape",
      paramLabel = "N",
      description = {
        "Instead of FILTER: a shape of searches, by its number in nyala advise --shapes.",
        "Without --value, shows which indexes answer it, and how many entries a value leaves."
      })
  private @Nullable Integer shape;

  @Option(
      names = "--value",
      paramLabel = "ATTR=VALUE",
      description =
          "With --shape: a value for the filter, as filters write it, once for each place of the"
              + " attribute: uid=bob, 'cn=a*'.")
  private List<String> values = new ArrayList<>();

  @Option(
      names = {"-b", "--base"},
      paramLabel = "DN",
      description = "The base of the search. Default: everything.")
  private String base = "";

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      description = "base, one, sub or children. Default: that of the shape, or sub.")
  private @Nullable String scope;

  @Option(
      names = "--time-limit",
      paramLabel = "SECONDS",
      description = {
        "How long the search may take, 1 to 600; the results up to then are shown.",
        "Default: ${DEFAULT-VALUE}."
      })
  private int seconds = DEFAULT_SECONDS;

  @Option(names = "--json", description = "Print one JSON object, which the manual describes.")
  private boolean json;

  @Mixin private RemoteOptions remote = new RemoteOptions();

  @Override
  public Integer call() throws IOException {
    if (filter.isEmpty() == (shape == null)) {
      throw wrongUsage("give a FILTER, or --shape");
    }
    if (shape == null) {
      if (!values.isEmpty()) {
        throw wrongUsage("--value takes --shape");
      }
    } else if (explainsShape(shape)) {
      return ExitCode.OK;
    }
    return explainFilter();
  }

  /** Explains a shape without values; false if they make a filter of it, which is left to do. */
  private boolean explainsShape(int number) {
    try (LocalManagement server = remote.connect().orElseGet(this::connect)) {
      Shape found = ExplainedShape.find(server.advice(), number);
      scope = scope == null ? found.scope() : scope;
      if (!values.isEmpty()) {
        filter = ExplainedShape.fill(found.filter(), values);
        return false;
      }
      ExplainedShape explained = new ExplainedShape(found, server.advice().explain(number));
      print(json, explained::json, explained::lines);
      return true;
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed("the server has ended, or knows no shapes");
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    }
  }

  private String scope() {
    return scope == null ? "sub" : scope;
  }

  private int explainFilter() throws IOException {
    Optional<LocalManagement> other = remote.connect();
    SearchExplanation explanation;
    try {
      explanation = other.isPresent() ? ask(other.get()) : explainHere();
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(ErrorMessages.line(e));
    }
    ExplanationReport report = new ExplanationReport(base, scope(), filter, explanation);
    print(json, report::json, report::lines);
    List<String> unknown = explanation.unknownAttributes();
    if (!unknown.isEmpty()) {
      throw CommandException.failed(
          "the schema has no attribute "
              + ErrorMessages.printable(String.join(", ", unknown))
              + ": no entry matches a part of the filter that names one");
    }
    return ExitCode.OK;
  }

  private SearchExplanation explain(ExplainMXBean bean) {
    return bean.explain(base, scope(), filter, seconds);
  }

  private SearchExplanation explainHere() throws IOException {
    NyalaConfig configuration = data().configuration();
    configuration.requireData();
    return data().runDirectory().holder().isPresent()
        ? ask(connect())
        : explainAlone(configuration);
  }

  /** Asks a server, and closes the connection to it. */
  private SearchExplanation ask(LocalManagement connected) {
    try (connected) {
      return explain(connected.explain());
    } catch (UndeclaredThrowableException e) {
      throw CommandException.failed("the server has ended, or does not support explanations");
    }
  }

  private SearchExplanation explainAlone(NyalaConfig configuration) throws IOException {
    try (LmdbBackend backend =
        LmdbBackend.open(
            configuration.data(),
            configuration.schema(Installation.current()),
            configuration.store().asReadOnly())) {
      return explain(new ExplainService(backend, configuration, System::nanoTime));
    }
  }
}
