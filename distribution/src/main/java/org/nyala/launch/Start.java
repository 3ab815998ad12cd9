package org.nyala.launch;

import org.nyala.build.BuildTools;
import org.nyala.cli.Main;

/**
 * The main class of {@code nyala.jar}: runs the administrators' command line, or the commands of
 * the build. Both start with {@code -jar}, for the JVM takes a cache only where the training run
 * had the same module options, and the server has them from the manifest of the jar.
 */
public final class Start {
  private Start() {}

  /** Runs a command and ends the process with its exit code. */
  public static void main(String[] arguments) {
    if (BuildTools.isMeant(arguments)) {
      BuildTools.main(arguments);
    } else {
      Main.main(arguments);
    }
  }
}
