/** Rooms whose constants frames meet: in one file, where V8 folds them. */
export const ENGINE = /^src\/(base|wire|core|switch|sim|udp)\//;
