package org.nyala.cli.store;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPURL;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.cli.command.DataCommand;
import org.nyala.cli.command.ServerOptions;
import org.nyala.comparison.ContentComparison;
import org.nyala.comparison.DataSource;
import org.nyala.comparison.EntryAssembly;
import org.nyala.comparison.EntrySource;
import org.nyala.comparison.LdifSource;
import org.nyala.comparison.ServerComparison;
import org.nyala.comparison.ServerComparison.ServerSource;
import org.nyala.config.NyalaConfig;
import org.nyala.core.schema.Schema;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.log.SecretAttributes;
import org.nyala.service.RunDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code nyala compare}. */
@Command(
    name = "compare",
    description = {
      "Compares two directories entry by entry, by their names, and prints the differences. A and B"
          + " are LDIF files, data directories or servers.",
      "The order of entries, attributes and values, the layout of LDIF, and the spelling of names do"
          + " not count; other values are compared byte by byte. Passwords are never printed.",
      "Exit code 0 if nothing differs, 1 if something does, 2 if the comparison failed."
    })
public final class CompareCommand extends DataCommand {
  private static final int MOST_SHOWN = 100_000;

  @Parameters(
      index = "0..1",
      arity = "2",
      paramLabel = "A B",
      hideParamSyntax = true,
      description = {
        "An LDIF file, which may be compressed by gzip or zstd; a data directory, on which a server"
            + " may be running;",
        "or ldap://HOST[:PORT]/DN, ldaps://HOST[:PORT]/DN with the name of the top entry."
      })
  private List<String> operands = List.of();

  @Option(
      names = "--base",
      paramLabel = "DN",
      description =
          "Compare this entry and those below it. Default: all of a file or data directory, and"
              + " those at and below the DN of a URL.")
  private @Nullable String base;

  @Option(
      names = "--operational",
      description =
          "Compare operational attributes too, but for memberOf and those that each server"
              + " computes.")
  private boolean operational;

  @Option(
      names = "--except",
      paramLabel = "ATTR",
      split = ",",
      description =
          "Attributes that do not count, separated by commas; cn;lang-en leaves out values with just"
              + " this option.")
  private List<String> except = List.of();

  @Option(
      names = "--limit",
      paramLabel = "NUMBER",
      description = "The differing entries that are printed; all are counted. Default: 500.")
  private int limit = ServerComparison.SHOWN;

  @Mixin private ServerOptions servers = new ServerOptions();

  @Override
  public Integer call() {
    requireRange(spec(), "--limit", limit, 0, MOST_SHOWN);
    if (data().namesData()) {
      throw wrongUsage("--data: name the data directory as A or B");
    }
    try {
      return compare();
    } catch (ParameterException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // Not the code of a difference.
      throw CommandException.usage(ErrorMessages.explain(e));
    } catch (OutOfMemoryError _) {
      throw CommandException.usage("not enough memory: set NYALA_JAVA_OPTS=-Xmx4g, for example");
    } catch (Error e) {
      throw CommandException.usage(ErrorMessages.explain(e));
    }
  }

  private int compare() throws IOException {
    NyalaConfig configuration = data().configuration();
    String a = operands.getFirst();
    String b = operands.getLast();
    if (isFolder(a) && isFolder(b) && Files.isSameFile(Path.of(a), Path.of(b))) {
      throw wrongUsage("A and B are the same data directory");
    }
    try (LmdbBackend first = open(configuration, a);
        LmdbBackend second = open(configuration, b)) {
      LmdbBackend store = first == null ? second : first;
      Schema schema =
          store == null
              ? configuration.schema(Installation.current())
              : store.extendedSchema().schema();
      SecretAttributes.learn(schema);
      if (second != null) {
        SecretAttributes.learn(second.extendedSchema().schema());
      }
      EntryAssembly assembly =
          new EntryAssembly(schema, configuration.limits().requests(), operational, except);
      EntrySource one = source(a, first, assembly);
      EntrySource other = source(b, second, assembly);
      ContentComparison comparison = new ContentComparison(one, other, limit, out()::println);
      comparison.run();
      for (String name : assembly.unusedExceptions()) {
        err()
            .println(
                "nyala: --except: neither the schema nor an entry has '"
                    + ErrorMessages.printable(name)
                    + "'");
      }
      return result(
          comparison, Stream.concat(one.omissions().stream(), other.omissions().stream()));
    }
  }

  private int result(ContentComparison comparison, Stream<String> omissions) {
    out()
        .printf(
            Locale.ROOT,
            "%d entries are equal, %d differ or are in one only%s%s%n",
            comparison.equal(),
            comparison.different(),
            comparison.unshown() == 0 ? "" : ", " + comparison.unshown() + " of them not shown",
            omissions.distinct().map(each -> "; " + each).collect(Collectors.joining()));
    return comparison.different() == 0 ? ExitCode.OK : ExitCode.DIFFERENT;
  }

  private static boolean isServer(String operand) {
    return operand.regionMatches(true, 0, "ldap://", 0, 7)
        || operand.regionMatches(true, 0, "ldaps://", 0, 8);
  }

  private static boolean isFolder(String operand) {
    return !isServer(operand) && Files.isDirectory(Path.of(operand));
  }

  /** Opens a data directory for reading; null if the operand is none. */
  private static @Nullable LmdbBackend open(NyalaConfig configuration, String operand)
      throws IOException {
    if (!isFolder(operand)) {
      return null;
    }
    NyalaConfig there = configuration.withData(Path.of(operand));
    there.requireData();
    return LmdbBackend.open(
        there.data(), there.schema(Installation.current()), there.store().asReadOnly());
  }

  private EntrySource source(String operand, @Nullable LmdbBackend store, EntryAssembly assembly)
      throws IOException {
    if (isServer(operand)) {
      return server(operand, assembly);
    }
    Path path = Path.of(operand);
    if (store != null) {
      return new DataSource(path, store, assembly, base, () -> reading(path));
    }
    if (!Files.isRegularFile(path)) {
      throw wrongUsage(
          "'" + operand + "' is no LDIF file, data directory or URL; a pipe cannot be read twice");
    }
    return new LdifSource(path, assembly, base);
  }

  /** Returns what ends a reading that keeps a running server from using freed pages too long. */
  private EntryProgress reading(Path folder) {
    NyalaConfig there = data().configuration().withData(folder);
    SnapshotAge age =
        new SnapshotAge(
            there.store().readerAgeSeconds(),
            System::nanoTime,
            () -> RunDirectory.of(there).holder().isPresent());
    return (_, _) -> age.require();
  }

  private EntrySource server(String operand, EntryAssembly assembly) throws IOException {
    int slash = operand.indexOf('/', operand.indexOf("://") + 3);
    String top = slash < 0 ? "" : top(operand);
    String compared = base == null ? top : base;
    if (compared.isEmpty()) {
      throw wrongUsage(
          operand + ": expected the name of the top entry, as ldap://HOST/DN or --base");
    }
    String address = slash < 0 ? operand : operand.substring(0, slash);
    boolean isRequired = ServerOptions.requiresEncryption(() -> data().configuration());
    return new ServerSource(
        servers.access(address, isRequired), assembly, compared, servers.idleSeconds());
  }

  private String top(String url) {
    try {
      LDAPURL parsed = new LDAPURL(url);
      if (parsed.attributesProvided() || parsed.scopeProvided() || parsed.filterProvided()) {
        throw wrongUsage(url + ": expected no attributes, scope or filter");
      }
      return parsed.getBaseDN().toString();
    } catch (LDAPException e) {
      throw wrongUsage(url + ": " + ErrorMessages.line(e));
    }
  }
}
