package org.nyala.loadtest.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.generate.DirectoryTemplate;
import org.nyala.loadtest.generate.Generation;
import org.nyala.loadtest.generate.LdifOutput;
import org.nyala.loadtest.generate.TemplateReader;
import org.nyala.loadtest.options.FileFailure;
import org.nyala.loadtest.workload.ExitCode;
import org.nyala.loadtest.workload.LoadSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes LDIF from a template. Confined to the thread that runs it. */
@Command(
    name = "generate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Writes LDIF from a template: people, trees, groups of any size. Templates of makeldif"
            + " (SLAMD, OpenDJ, Ping) work as they are.",
    footer =
        "Exit codes: 0 all entries written, 1 the file cannot be written, 2 wrong usage or"
            + " template.")
final class GenerateCommand implements Callable<Integer> {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int BUILT_IN_GROUP_SIZE = 50;
  private static final double NANOS_PER_SECOND = 1e9;

  @Option(
      names = {"-t", "--template"},
      paramLabel = "FILE",
      description = "the template (default: people as those of 'nyala sample', and ten groups)")
  private @Nullable Path template;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "the LDIF to write, in the place of one that is there; compressed if the name ends in"
              + " .gz (default: standard output)")
  private @Nullable Path output;

  @Option(
      names = {"-c", "--constant"},
      paramLabel = "NAME=VALUE",
      description = "the value of a constant, in the place of that of the template")
  private Map<String, String> constants = new LinkedHashMap<>();

  @Option(
      names = "--users",
      paramLabel = "N",
      description = "how many people; short for --constant numusers=N")
  private @Nullable Long users;

  @Option(
      names = {"-s", "--seed"},
      paramLabel = "S",
      description = "the same seed makes the same entries (default: ${DEFAULT-VALUE})")
  private long seed;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    CommandSpec command = Objects.requireNonNull(spec);
    try {
      DirectoryTemplate directory = TemplateReader.read(template, allConstants(), seed);
      long start = System.nanoTime();
      try (LdifOutput writer = new LdifOutput(open())) {
        new Generation(directory, seed).write(writer);
      }
      double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
      command
          .commandLine()
          .getErr()
          .printf(
              Locale.ROOT,
              "%,d entries in %.1f s, %,.0f a second%n",
              directory.entries(),
              seconds,
              directory.entries() / Math.max(seconds, 1e-3));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      command.commandLine().getErr().println("nyala-loadtest: " + FileFailure.sentence(e));
      return ExitCode.FAILED;
    }
  }

  private Map<String, String> allConstants() {
    Map<String, String> all = new LinkedHashMap<>(constants);
    if (users != null) {
      LoadSettings.require(users >= 0, "--users", "a number of people from 0 up", users);
      all.put("numusers", users.toString());
      if (template == null && users < BUILT_IN_GROUP_SIZE) {
        all.putIfAbsent("groupsize", users.toString());
      }
    }
    return all;
  }

  private OutputStream open() throws IOException {
    if (output == null) {
      return new FileOutputStream(FileDescriptor.out);
    }
    OutputStream file = Files.newOutputStream(output);
    return output.toString().endsWith(".gz")
        ? new BufferedOutputStream(new GZIPOutputStream(file, BUFFER_BYTES), BUFFER_BYTES)
        : file;
  }
}
