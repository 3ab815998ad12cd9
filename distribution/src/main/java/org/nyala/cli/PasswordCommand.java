package org.nyala.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import org.nyala.cli.command.NyalaCommand;
import org.nyala.config.UpdateConfiguration;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.password.PasswordHash;
import org.nyala.error.CommandException;
import org.nyala.error.ErrorMessages;
import org.nyala.error.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nyala password}. */
@Command(
    name = "password",
    description = {
      "Hashes a password, for root.password in the configuration or for userPassword in an LDIF"
          + " file.",
      "Asks for it twice on a terminal, without echo; otherwise reads one line of "
          + "standard input.",
      "The password is never an argument, because other users can see arguments."
    })
final class PasswordCommand extends NyalaCommand {
  @Option(
      names = "--scheme",
      paramLabel = "SCHEME",
      description = {
        "ARGON2, PBKDF2-SHA512, PBKDF2-SHA256, BCRYPT, or CRYPT (SHA-512 crypt), which are slow by"
            + " design; SSHA512, SSHA384, SSHA256, or SSHA; SCRAM-SHA-256 or SCRAM-SHA-512, for"
            + " binds by those mechanisms.",
        "Default: ${DEFAULT-VALUE}."
      })
  private String scheme = UpdateSettings.DEFAULT_SCHEME.label();

  @Override
  public Integer call() throws IOException {
    if (!UpdateConfiguration.PASSWORD_SCHEMES.contains(scheme)) {
      throw new CommandException(
          ExitCode.USAGE,
          "--scheme: expected one of "
              + String.join(", ", UpdateConfiguration.PASSWORD_SCHEMES)
              + ", found '"
              + scheme
              + "'");
    }
    byte[] password = PasswordInput.readTwice();
    try {
      if (password.length == 0) {
        throw new CommandException(ExitCode.USAGE, "the password is empty");
      }
      byte[] hash =
          PasswordHash.create(UpdateConfiguration.scheme(scheme), password, new SecureRandom());
      out().println(new String(hash, US_ASCII));
      return ExitCode.OK;
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, ErrorMessages.line(e));
    } finally {
      Arrays.fill(password, (byte) 0);
    }
  }
}
