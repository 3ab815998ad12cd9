package org.nyala.loadtest.workload;

/** Options of jobs with one of them changed. */
public final class ChangedOptions {
  private ChangedOptions() {}

  /** The same options with other targets. */
  public static JobOptions of(JobOptions options, Targets others) {
    return new JobOptions(
        options.attribute(),
        options.sortKey(),
        options.pageSize(),
        options.window(),
        others,
        options.mix(),
        options.replay(),
        options.checkEvery());
  }

  /** The same options with a mix. */
  public static JobOptions of(JobOptions options, Mix other) {
    return new JobOptions(
        options.attribute(),
        options.sortKey(),
        options.pageSize(),
        options.window(),
        options.values(),
        other,
        options.replay(),
        options.checkEvery());
  }

  /** The same options with patterns. */
  public static JobOptions of(JobOptions options, Patterns patterns) {
    return new JobOptions(
        options.attribute(),
        options.sortKey(),
        options.pageSize(),
        options.window(),
        options.values(),
        options.mix(),
        options.replay(),
        options.checkEvery(),
        options.login(),
        options.sync(),
        options.mostWrongPasswords(),
        patterns,
        options.rules());
  }
}
