package org.nyala.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * The disk of a server in a process of its own, whose data file, and the log of whose cluster, can
 * be made to fail: see {@code src/test/c/faults.c}.
 *
 * <p>Confined to one thread.
 */
public final class FaultyDisk {
  /** The system's number of an error of the disk. */
  public static final int IO_ERROR = 5;

  /** The system's number of the error of a full disk. */
  public static final int NO_SPACE = 28;

  private final Path library;
  private final Path control;

  /** The calls that fail. */
  public enum Call {
    /** Writes of pages. */
    WRITE("write"),
    /** Writes of meta pages alone. */
    META("meta"),
    /** The same; they are in the memory of the system nevertheless, which cannot be undone. */
    META_IN_MEMORY("cache"),
    /** Those that succeed, and after which the process is gone. */
    META_LAST("kill"),
    /** Waits for the disk. */
    SYNC("sync");

    private final String word;

    Call(String word) {
      this.word = word;
    }
  }

  /** Prepares a disk without faults, with files in a folder. */
  public FaultyDisk(Path folder) throws Exception {
    this.library = PreloadedLibrary.compile("faults", folder);
    this.control = folder.toRealPath().resolve("faults.control");
  }

  /** Returns the environment of a process whose data file is on this disk. */
  public Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library.toString(), "FAULTS_CONTROL", control.toString());
  }

  /** Lets calls on the data file fail from now on. */
  public void fail(Call call, int error) throws IOException {
    fail(call, error, "/data.mdb");
  }

  /**
   * Lets calls on files fail from now on.
   *
   * @param part a part of their paths, of data files and of logs of a cluster
   */
  public void fail(Call call, int error, String part) throws IOException {
    Path next =
        Files.writeString(
            control.resolveSibling("faults.next"), call.word + " " + error + " " + part);
    Files.move(next, control, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Lets calls succeed from now on. */
  public void heal() throws IOException {
    Files.deleteIfExists(control);
  }
}
