package org.nyala.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.IndexDefinition;
import org.nyala.lmdb.IndexProgress;
import org.nyala.lmdb.LmdbBackend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nyala index}. */
@Command(
    name = "index",
    mixinStandardHelpOptions = true,
    description = {
      "Shows, builds and deletes the indexes of the data directory.",
      "list works while a server is running; for everything else it must be stopped.",
      "What is interrupted goes on with the next index command or when the server starts."
    })
final class IndexCommand implements Callable<Integer> {
  /** What to do. */
  enum Action {
    list,
    add,
    rebuild,
    drop
  }

  private static final String EQUALITY = "eq";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private DataOptions data = new DataOptions();

  @Parameters(index = "0", paramLabel = "ACTION", description = "list, add, rebuild or drop.")
  private Action action = Action.list;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "ATTR[:KINDS]",
      description = {
        "An attribute and kinds of index separated by commas: eq, sub, pres, ord.",
        "Without kinds: eq to add, all there are to rebuild and to drop."
      })
  private @Nullable String index;

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data.configuration();
    configuration.requireData();
    Schema schema = Installation.current().schema();
    if (action == Action.list) {
      try (LmdbBackend backend =
          LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
        list(backend);
      }
      return ExitCode.OK;
    }
    String wanted = index;
    if (wanted == null) {
      throw new CommandException(ExitCode.USAGE, "index " + action + ": name an attribute");
    }
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store())) {
      change(backend, definition(backend, schema, wanted));
      work(backend);
    }
    return ExitCode.OK;
  }

  private void list(LmdbBackend backend) {
    PrintWriter out = spec.commandLine().getOut();
    backend.indexes().forEach(definition -> out.println(definition));
    for (IndexProgress each : backend.indexProgress()) {
      String state =
          each.isBuilding()
              ? String.format(Locale.ROOT, "building, %d of %d entries", each.done(), each.total())
              : "being deleted";
      out.println(
          each.attribute().toLowerCase(Locale.ROOT)
              + ':'
              + each.kind().label()
              + " ("
              + state
              + ')');
    }
  }

  private IndexDefinition definition(LmdbBackend backend, Schema schema, String text) {
    int colon = text.indexOf(':');
    String attribute = colon < 0 ? text : text.substring(0, colon);
    try {
      if (colon >= 0) {
        return IndexDefinition.parse(schema, attribute, text.substring(colon + 1));
      }
      IndexDefinition simple = IndexDefinition.parse(schema, attribute, "pres");
      for (IndexDefinition known : backend.indexes()) {
        if (action != Action.add && known.type().equals(simple.type())) {
          return known;
        }
      }
      return IndexDefinition.parse(schema, attribute, EQUALITY);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, Failures.line(e));
    }
  }

  private void change(LmdbBackend backend, IndexDefinition definition) {
    switch (action) {
      case add -> backend.addIndex(definition);
      case rebuild -> backend.rebuildIndex(definition);
      case drop -> backend.dropIndex(definition);
      case list -> throw new IllegalStateException("list changes nothing");
    }
  }

  private void work(LmdbBackend backend) {
    boolean isMore = true;
    while (isMore) {
      isMore = backend.workOnIndexes();
    }
    PrintWriter out = spec.commandLine().getOut();
    List<IndexDefinition> indexes = backend.indexes();
    out.println("done: " + indexes.size() + " attributes are indexed");
  }

  /** The texts of the definitions, for messages. */
  static String text(List<IndexDefinition> definitions) {
    return String.join(" ", definitions.stream().map(IndexDefinition::toString).sorted().toList());
  }
}
