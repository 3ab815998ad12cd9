package org.nyala.cli.running;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * The terminal of this process, with a screen of its own, which gives each key at once. POSIX's
 * stty switches it.
 *
 * <p>Confined to the thread that opens it; a hook switches it back when the process ends.
 */
final class KeyedTerminal implements AutoCloseable {
  /** The value of {@link #key} if none was typed. */
  static final int NO_KEY = -1;

  private static final Path TERMINAL = Path.of("/dev/tty");
  private static final String OWN_SCREEN = "\u001b[?1049h\u001b[?25l";
  private static final String FORMER_SCREEN = "\u001b[?25h\u001b[?1049l";
  private static final String HOME = "\u001b[H";
  private static final String END_OF_LINE = "\u001b[K";
  private static final String REST_OF_SCREEN = "\u001b[J";

  private final String former;
  private final InputStream keys;
  private final OutputStream screen;
  private final Thread hook = new Thread(this::restore, "nyala-terminal");
  private boolean isRestored;

  private KeyedTerminal(String former) throws IOException {
    this.former = former;
    this.keys = new FileInputStream(TERMINAL.toFile());
    this.screen = new FileOutputStream(TERMINAL.toFile());
  }

  /**
   * Switches the terminal over.
   *
   * @throws IOException if the process has none
   */
  static KeyedTerminal open() throws IOException {
    KeyedTerminal opened = new KeyedTerminal(stty("-g").strip());
    Runtime.getRuntime().addShutdownHook(opened.hook);
    // A read returns after a tenth of a second without a key.
    stty("-icanon", "-echo", "min", "0", "time", "1");
    opened.write(OWN_SCREEN);
    return opened;
  }

  /** Returns a key, waiting a tenth of a second at most; {@link #NO_KEY} if none was typed. */
  int key() throws IOException {
    return keys.read();
  }

  /** Returns lines and columns, each 1 or more. */
  int[] size() throws IOException {
    String size = stty("size").strip();
    int space = size.indexOf(' ');
    return new int[] {
      Math.max(1, Integer.parseInt(size.substring(0, space))),
      Math.max(1, Integer.parseInt(size.substring(space + 1)))
    };
  }

  /** Replaces what the screen shows; no line is longer than it is wide. */
  void show(List<String> lines) throws IOException {
    StringBuilder text = new StringBuilder(HOME);
    for (int i = 0; i < lines.size(); i++) {
      text.append(i == 0 ? "" : "\r\n").append(lines.get(i)).append(END_OF_LINE);
    }
    write(text.append(REST_OF_SCREEN).toString());
  }

  private void write(String text) throws IOException {
    screen.write(text.getBytes(UTF_8));
    screen.flush();
  }

  private static String stty(String... arguments) throws IOException {
    String[] command = new String[arguments.length + 1];
    command[0] = "stty";
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    Process process =
        new ProcessBuilder(command)
            .redirectInput(TERMINAL.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("there is no terminal");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return out;
  }

  private synchronized void restore() {
    if (isRestored) {
      return;
    }
    isRestored = true;
    try {
      write(FORMER_SCREEN);
      stty(former);
    } catch (IOException e) {
      // The terminal is gone, and with it what was to be restored.
    }
  }

  @Override
  public void close() throws IOException {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending, and the hook has run or runs.
    }
    keys.close();
    screen.close();
  }
}
