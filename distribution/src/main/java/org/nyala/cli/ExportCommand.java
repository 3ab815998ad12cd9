package org.nyala.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ServerLimits;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.schema.Schema;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.FilterCompiler;
import org.nyala.core.search.FilterLimitException;
import org.nyala.lmdb.LdifExport;
import org.nyala.lmdb.LmdbBackend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code nyala export}. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Writes the directory as LDIF that imports again, operational attributes and passwords included.",
      "A server may be running on the data directory."
    })
final class ExportCommand implements Callable<Integer> {
  @Mixin private DataOptions data = new DataOptions();

  @Option(
      names = "--base",
      paramLabel = "DN",
      description = "Write this entry and what is below it. Default: everything.")
  private @Nullable String base;

  @Option(names = "--filter", paramLabel = "FILTER", description = "Write only entries that match.")
  private @Nullable String filter;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = {
        "Only its owner may read it; it takes the place of what is there when it is complete.",
        "Default: standard output."
      })
  private @Nullable Path output;

  @Override
  public Integer call() throws IOException {
    NyalaConfig configuration = data.configuration();
    configuration.requireData();
    Schema schema = Installation.current().schema();
    try (LmdbBackend backend =
        LmdbBackend.open(configuration.data(), schema, configuration.store().asReadOnly())) {
      export(backend, configuration);
    }
    return ExitCode.OK;
  }

  private void export(LmdbBackend backend, NyalaConfig configuration) throws IOException {
    Schema schema = backend.extendedSchema().schema();
    Dn below = base == null ? null : dn(schema, base);
    CompiledFilter wanted =
        filter == null ? CompiledFilter.Constant.TRUE : compile(schema, configuration, filter);
    try (ExportFile file = ExportFile.open(output)) {
      LdifWriter writer = new LdifWriter(file.stream(), LdifWriter.DEFAULT_COLUMNS);
      new LdifExport(backend, schema, wanted, writer).run(below);
      file.commit();
    }
  }

  private static Dn dn(Schema schema, String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw new CommandException(ExitCode.USAGE, "--base '" + text + "': " + Failures.line(e));
    }
  }

  private static CompiledFilter compile(Schema schema, NyalaConfig configuration, String text) {
    try {
      ServerLimits limits = configuration.limits();
      return new FilterCompiler(schema, _ -> true, limits.filterDepth(), limits.filterNodes())
          .compile(FilterParser.parse(text));
    } catch (IllegalArgumentException | FilterLimitException e) {
      throw new CommandException(ExitCode.USAGE, "--filter: " + Failures.line(e));
    }
  }
}
