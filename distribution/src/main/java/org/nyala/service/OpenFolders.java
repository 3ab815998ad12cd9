package org.nyala.service;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.nyala.config.NyalaConfig;

/**
 * Finds folders, and the file of access rules, that other users can access. Folders made by the
 * server are private; an administrator's own are theirs to correct. Stateless.
 */
public final class OpenFolders {
  private static final System.Logger LOG = System.getLogger(OpenFolders.class.getName());
  private static final Set<PosixFilePermission> WRITERS =
      Set.of(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE,
          PosixFilePermission.OTHERS_EXECUTE);

  /** The condition for logs, which may be in a folder of the whole machine, such as /var/log. */
  private static final String IF_OWN = ", if it is the server's alone";

  /**
   * A file or folder that others can access.
   *
   * @param sentence the trouble, without an end
   * @param command the command that corrects it
   * @param condition the condition for that; empty if there is none
   */
  public record Problem(String sentence, String command, String condition) {
    /** Returns all of it in one line. */
    public String line() {
      return sentence + ": " + command + condition;
    }
  }

  private OpenFolders() {}

  /** Logs a line for each folder of a server that other users can access. */
  public static void tell(NyalaConfig configuration) {
    for (Problem problem : problems(configuration)) {
      LOG.log(Level.WARNING, problem.line());
    }
  }

  /** Logs a line if others than the owner can write the file of access rules. */
  public static void tellOfRules(NyalaConfig configuration) {
    for (Problem problem : problemsOfRules(configuration)) {
      LOG.log(Level.WARNING, problem.line());
    }
  }

  /** Returns the problems of the file of access rules, with the commands that correct them. */
  static List<Problem> problemsOfRules(NyalaConfig configuration) {
    List<Problem> problems = new ArrayList<>();
    if (configuration.accessRules().isPresent()) {
      Path file = configuration.accessRules().get().path().toAbsolutePath().normalize();
      look(folder(file), false, "", problems);
      lookAtRules(file, problems);
    }
    return List.copyOf(problems);
  }

  private static void lookAtRules(Path file, List<Problem> problems) {
    try {
      Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
      if (allowed.stream().anyMatch(WRITERS::contains)) {
        problems.add(
            new Problem(
                file
                    + " ("
                    + PosixFilePermissions.toString(allowed)
                    + ") can be written to by others than its owner, who can give themselves any"
                    + " right",
                "chmod go-w " + file,
                ""));
      }
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without permissions has none to correct.
    }
  }

  /** Returns the problems of the folders, with the commands that correct them. */
  public static List<Problem> problems(NyalaConfig configuration) {
    List<Problem> problems = new ArrayList<>();
    Path data = configuration.data().toAbsolutePath().normalize();
    look(data, true, "", problems);
    Set<Path> others = new LinkedHashSet<>();
    others.add(folder(RunDirectory.of(configuration).logFile()));
    configuration.logs().access().ifPresent(log -> others.add(folder(log.settings().file())));
    configuration.logs().audit().ifPresent(log -> others.add(folder(log.file())));
    configuration.logs().security().ifPresent(log -> others.add(folder(log.file().file())));
    for (Path other : others) {
      // Users without access to the data directory cannot reach a folder in it either.
      look(other, !other.startsWith(data), IF_OWN, problems);
    }
    problems.addAll(problemsOfRules(configuration));
    return List.copyOf(problems);
  }

  private static Path folder(Path file) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    return folder == null ? file.toAbsolutePath() : folder;
  }

  /**
   * Adds the problems of a folder: writing replaces its files, reading shows names and sizes.
   *
   * @param isSecret whether no other user may read it
   * @param condition the condition for closing it
   */
  private static void look(
      Path folder, boolean isSecret, String condition, List<Problem> problems) {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try {
      Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(folder);
      String mode = PosixFilePermissions.toString(allowed);
      if (allowed.stream().anyMatch(WRITERS::contains)) {
        problems.add(
            new Problem(
                folder
                    + " ("
                    + mode
                    + ") can be written to by others than its owner, who can replace its files",
                "chmod go-w,o= " + folder,
                ""));
      } else if (isSecret && allowed.stream().anyMatch(OTHERS::contains)) {
        problems.add(
            new Problem(
                folder + " (" + mode + ") is open to every user", "chmod o= " + folder, condition));
      }
    } catch (IOException | UnsupportedOperationException e) {
      // A file system without permissions has none to correct.
    }
  }
}
