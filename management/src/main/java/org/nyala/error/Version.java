package org.nyala.error;

/** The version of the program, from the manifest of its jar. */
public final class Version {
  private Version() {}

  /** The program and its version, in one line. */
  public static String program() {
    String version = Version.class.getPackage().getImplementationVersion();
    return "nyala " + (version == null ? "(built from source)" : version);
  }
}
