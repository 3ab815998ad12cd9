package org.nyala.management.bean;

import java.util.Map;

/** The extensions of the server. Thread-safe. */
@Description("The extensions of the server, and the commands that they carry out while it runs.")
public interface ExtensionsMXBean {
  /** The name under which the bean is registered. */
  String NAME = "org.nyala:type=Extensions";

  /**
   * The end of a command.
   *
   * @param exitCode 0 for done, 1 for failed
   * @param text what it has printed
   * @param mistake the reason why its arguments are wrong; empty if they are not
   */
  record Answer(int exitCode, String text, String mistake) {}

  /** Returns the states of extensions that have one, in words, by the names of the extensions. */
  @Description("The states of extensions, in words: that of a cluster names its members.")
  Map<String, Map<String, String>> getStates();

  /**
   * Carries out a command of an extension.
   *
   * @throws IllegalStateException if the server has no such extension, or it cannot be done now
   */
  @Description("Carries out a command of an extension, as nyala does, and returns what it prints.")
  Answer run(
      @Description("The name of the extension.") String extension,
      @Description("The name of the command.") String command,
      @Description("The words after it.") String[] arguments,
      @Description("The user who asks, for the log.") String caller);
}
